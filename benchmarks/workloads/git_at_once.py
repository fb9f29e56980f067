"""Eight processes that sync one Git store at once: how long until the last has its library, and how many fetched."""

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
os.environ['PATH'] = f'{shim.parent}{os.pathsep}{os.environ["PATH"]}'
go, start = os.pipe()
children = []
for _ in range(8):
    if (child := os.fork()) == 0:
        os.close(start)
        os.read(go, 1)
        library = GitSkillsRegistry(sys.argv[1], path='skills', target_dir=folder / 'store').sync()
        os._exit(0 if len(list(library.iterdir())) == int(sys.argv[2]) else 1)
    children.append(child)
began = perf_counter()
os.close(start)
assert all(os.waitpid(child, 0)[1] == 0 for child in children)
seconds = perf_counter() - began
fetches = log.read_text().split().count('fetch')
shutil.rmtree(folder, ignore_errors=True)
print(json.dumps({'seconds': seconds, 'fetches': fetches}))
