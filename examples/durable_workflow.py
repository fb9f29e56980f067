"""A workflow that survives a crash, on DBOS with SQLite: `python examples/durable_workflow.py`.

What a script printed is recorded, so a recovered workflow does not run it again. The example runs a workflow, then
asks for one of the same id: DBOS answers from its record, and the script has run once.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from dbos import DBOS, SetWorkflowID
from offline import choose_model, load, parse_args, run
from pydantic_ai import Agent
from pydantic_ai.durable_exec.dbos import DBOSDurability

from pydantic_ai_skills import SkillsCapability

SKILL = """---
name: reporter
description: Makes the report. Use it when a report is asked for.
---

Run `scripts/report.py` once.
"""
REPORT = """import pathlib
runs = pathlib.Path('runs')
count = len(runs.read_text()) + 1 if runs.exists() else 1
runs.write_text('x' * count)
print(f'Report, made {count} time(s)')
"""


def make_agent(folder: Path, model_name: str | None) -> Agent[None, str]:
    scripts = folder / 'skills' / 'reporter' / 'scripts'
    scripts.mkdir(parents=True)
    scripts.with_name('SKILL.md').write_text(SKILL)
    (scripts / 'report.py').write_text(REPORT)
    model = choose_model(model_name, load('reporter'), run('reporter', 'scripts/report.py'))
    return Agent(model, name='reports', capabilities=[DBOSDurability(), SkillsCapability(folder / 'skills')])


async def work(workflow: Any, folder: Path) -> None:
    for attempt in ('first', 'second'):
        with SetWorkflowID('report-2026-11'):
            print(f'{attempt}: {await workflow("Make the report.")}')
    steps = [step['function_name'] for step in await DBOS.list_workflow_steps_async('report-2026-11')]
    print('recorded:', *steps, sep='\n  ')
    print('runs of the script:', len((folder / 'skills/reporter/runs').read_text()))


def main() -> None:
    args = parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        DBOS(
            config={
                'name': 'reports',
                'system_database_url': f'sqlite:///{folder}/dbos.sqlite',
                'run_admin_server': False,
                'log_level': 'ERROR',
            }
        )
        agent = make_agent(folder, args.model)

        @DBOS.workflow()
        async def workflow(question: str) -> str:
            return (await agent.run(question)).output

        DBOS.launch()
        try:
            asyncio.run(work(workflow, folder))
        finally:
            DBOS.destroy()


main()
