"""A Git registry that has been synced, synced again with nothing new; and which git commands that takes."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from pydantic_ai_skills import GitSkillsRegistry

folder = Path(tempfile.mkdtemp())
shim, log = folder / 'bin' / 'git', folder / 'log'
shim.parent.mkdir()
shim.write_text(f'#!/bin/sh\necho "$1" >> {log}\nexec {shutil.which("git")} "$@"\n')
shim.chmod(0o755)
GitSkillsRegistry(sys.argv[1], path='skills', target_dir=folder / 'store').sync()
registry = GitSkillsRegistry(sys.argv[1], path='skills', target_dir=folder / 'store')
start = perf_counter()
registry.sync()
seconds = perf_counter() - start
os.environ['PATH'] = f'{shim.parent}{os.pathsep}{os.environ["PATH"]}'
GitSkillsRegistry(sys.argv[1], path='skills', target_dir=folder / 'store').sync()
commands = log.read_text().split() if log.exists() else []
shutil.rmtree(folder, ignore_errors=True)
print(json.dumps({'seconds': seconds, 'ls-remote': commands.count('ls-remote'), 'all': len(commands)}))
