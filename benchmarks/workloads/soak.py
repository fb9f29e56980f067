"""Many runs in a row of a script that leaves nothing behind: what has grown at the end."""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from pydantic_ai_skills.executors import LocalSkillScriptExecutor
from pydantic_ai_skills.members import SkillScript


def _resident():
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def _state(temporary):
    children = Path(f'/proc/self/task/{os.getpid()}/children')
    return {
        'descriptors': len(os.listdir('/proc/self/fd')),
        'processes': len(children.read_text().split()) if children.exists() else 0,
        'files': sum(len(files) + len(folders) for _, folders, files in os.walk(temporary)),
        'bytes': _resident(),
    }


async def _main():
    folder, runs = Path(sys.argv[1]), int(sys.argv[2])
    script = SkillScript(
        name='nothing.sh', uri=str(folder / 'nothing.sh'), skill_name='demo', skill_directory=folder, root=folder
    )
    with tempfile.TemporaryDirectory() as temporary:
        tempfile.tempdir = temporary
        executor = LocalSkillScriptExecutor()
        for _ in range(min(runs, 500)):
            await executor.run(script, stdin='x')
        before, start = _state(temporary), perf_counter()
        for number in range(runs):
            assert await executor.run(script, stdin='x' if number % 2 else None) == '(no output)'
        seconds, after = perf_counter() - start, _state(temporary)
        grown = {name: after[name] - before[name] for name in before}
        print(json.dumps({**grown, 'seconds': seconds, 'runs': runs}))


asyncio.run(_main())
