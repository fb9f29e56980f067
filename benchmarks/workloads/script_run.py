"""Running a script that prints one word: by the executor, and as a bare subprocess."""

import asyncio
import json
import sys
from time import perf_counter

from pydantic_ai_skills import LocalSkillScriptExecutor
from pydantic_ai_skills.packages import index_libraries


async def _bare(path):
    process = await asyncio.create_subprocess_exec(
        sys.executable, path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert out == b'word\n'


async def _main():
    script = index_libraries([sys.argv[1]])['one-word'].scripts_by_name['scripts/word.py']
    executor = LocalSkillScriptExecutor(python_executable=sys.executable)

    async def ours():
        assert 'word' in str(await executor.run(script))

    best = {}
    for _ in range(int(sys.argv[2])):
        for name, work in (('bare', _bare(script.uri)), ('executor', ours())):
            start = perf_counter()
            await work
            seconds = perf_counter() - start
            best[name] = min(seconds, best.get(name, seconds))
    print(json.dumps(best))


asyncio.run(_main())
