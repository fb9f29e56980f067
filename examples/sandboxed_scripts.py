"""Scripts in a bubblewrap sandbox: `python examples/sandboxed_scripts.py`. Linux with `apt install bubblewrap`.

The script of this example tries what a script of a skill that nobody has read might try.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from offline import choose_model, load, parse_args, run
from pydantic_ai import Agent

from pydantic_ai_skills import SkillsCapability, SkillScriptExecutor
from pydantic_ai_skills.executors import BubblewrapScriptExecutor

SKILL = """---
name: curious
description: Looks around. Use it to see what a script can reach.
---

Run `scripts/look.py`.
"""
LOOK = """import os, socket, sys
secret = sys.argv[1]
print('secret file:', open(secret).read() if os.path.exists(secret) else 'not there')
print('API_KEY:', os.environ.get('API_KEY', 'not set'))
try:
    socket.create_connection(('127.0.0.1', 9), timeout=1)
except OSError as error:
    print('network:', error.strerror)
try:
    open(os.path.join(os.environ['SKILL_DIR'], 'mark'), 'w')
except OSError as error:
    print('its own skill:', error.strerror)
open('result.txt', 'w').write('fine')
print('its scratch folder:', open('result.txt').read())
"""


def choose_executor() -> SkillScriptExecutor | None:
    try:
        return BubblewrapScriptExecutor(timeout=10, memory_mb=256)
    except (RuntimeError, NotImplementedError) as error:
        print(f'No sandbox here, so nothing is run: {error}')
        return None


def main() -> None:
    args = parse_args()
    if (executor := choose_executor()) is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        scripts = Path(folder, 'skills', 'curious', 'scripts')
        scripts.mkdir(parents=True)
        scripts.with_name('SKILL.md').write_text(SKILL)
        (scripts / 'look.py').write_text(LOOK)
        secret = Path(folder, 'secret.txt')
        secret.write_text('launch code')
        model = choose_model(args.model, load('curious'), run('curious', 'scripts/look.py', [str(secret)]))
        skills = SkillsCapability(Path(folder, 'skills'), script_executor=executor)
        agent = Agent(model, capabilities=[skills])
        print(agent.run_sync(f'Look around; the path to look for is {secret}.').output)


main()
