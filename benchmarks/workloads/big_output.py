"""A script that prints 100 MB: how much the process grows over its size before, and what the text says."""

import asyncio
import json
import resource
import sys
from pathlib import Path
from time import perf_counter

from pydantic_ai_skills.executors import LocalSkillScriptExecutor
from pydantic_ai_skills.members import SkillScript


def _peak():
    unit = 1 if sys.platform == 'darwin' else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


async def _main():
    folder = Path(sys.argv[1])
    script, warm = (
        SkillScript(name=name, uri=str(folder / name), skill_name='demo', skill_directory=folder, root=folder)
        for name in ('big.py', 'word.py')
    )
    executor = LocalSkillScriptExecutor()
    await executor.run(warm)
    before, start = _peak(), perf_counter()
    text = await executor.run(script)
    seconds = perf_counter() - start
    told = 'it printed more than 10 MiB' in text
    print(json.dumps({'seconds': seconds, 'bytes': _peak() - before, 'told': told, 'characters': len(text)}))


asyncio.run(_main())
