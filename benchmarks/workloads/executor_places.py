"""A script that prints one word, run locally, in a sandbox, in a workspace that has it, and by the workspace alone."""

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_skills.executors import BubblewrapScriptExecutor, LocalSkillScriptExecutor, WorkspaceScriptExecutor
from pydantic_ai_skills.members import SkillScript


class _Counted(LocalWorkspaceBackend):
    """Counts what a run asks of a workspace."""

    commands = 0

    async def run(self, *args, **kwargs):
        _Counted.commands += 1
        return await super().run(*args, **kwargs)

    async def write_bytes(self, *args):
        _Counted.commands += 1000  # a transfer of files
        return await super().write_bytes(*args)


async def _main():
    folder = Path(sys.argv[1])
    script = SkillScript(
        name='word.py', uri=str(folder / 'word.py'), skill_name='demo', skill_directory=folder, root=folder
    )
    with tempfile.TemporaryDirectory() as place:
        local = LocalWorkspaceBackend(place)
        executors = {
            'local': LocalSkillScriptExecutor(),
            'sandbox': BubblewrapScriptExecutor(),
            'workspace': WorkspaceScriptExecutor(local),
        }
        works = {name: lambda executor=executor: executor.run(script) for name, executor in executors.items()}
        works['bare workspace'] = lambda: Workspace(local).run([sys.executable, script.uri])
        best = {}
        for turn in range(int(sys.argv[2]) + 1):
            for name, work in works.items():
                start = perf_counter()
                await work()
                if turn:  # the first stages the files
                    best[name] = min(perf_counter() - start, best.get(name, 9e9))
        counted = WorkspaceScriptExecutor(_Counted(place))
        await counted.run(script)
        _Counted.commands = 0
        assert await counted.run(script) == 'word'
        print(json.dumps({**best, 'commands': _Counted.commands}))


asyncio.run(_main())
