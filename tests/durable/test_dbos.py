"""What holds inside a workflow, with DBOS in this process; killing and recovering is in `test_killed.py`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, RunContext, ToolFailed
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import BinaryContent, ToolReturn, UserPromptPart

from pydantic_ai_skills import Skill, SkillsCapability

from ..support import Seen, Step, collect, load, make_library, read, script, scripted, skill_text
from .conftest import count


def in_workflow(
    dbos: Any,
    given: Any,
    steps: list[Step],
    *,
    inside: bool = True,
    before: Callable[[], Awaitable[None]] | None = None,
    **options: Any,
) -> Seen:
    """Run an agent in a workflow, or the same agent outside any; `before` comes between making and running it."""
    seen = Seen()
    listed = given if isinstance(given, list) else [given]
    agent: Agent[Any, Any] = Agent(
        scripted(steps, seen), name='durable', capabilities=[DBOSDurability(), *listed], **options.pop('agent', {})
    )

    async def work() -> Any:
        return await agent.run('go', **options)

    workflow = dbos.workflow(name=f'work {id(seen)}')(work)

    async def main() -> Any:
        if before is not None:
            await before()
        if not inside:
            return await work()
        dbos.launch()
        return await workflow()

    seen.result = asyncio.run(main())
    collect(seen, seen.result.all_messages())
    return seen


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    now = [1_000.0]
    monkeypatch.setattr('pydantic_ai_skills.state.time.monotonic', lambda: now[0])

    def wait(seconds: float) -> None:
        now[0] += seconds

    return wait


@pytest.mark.parametrize('inside', [True, False])
def test_time_refreshes_nothing_inside_a_workflow(
    dbos: Any, library: Path, clock: Callable[[float], None], inside: bool
) -> None:
    """Its replay must see what the first time saw."""
    capability = SkillsCapability(library, refresh_every=60)
    make_library(library, {'new/SKILL.md': skill_text('new')})
    clock(61)
    seen = in_workflow(dbos, capability, [], inside=inside)
    assert seen.skills() == (['demo'] if inside else ['demo', 'new'])


def test_a_refresh_by_hand_is_seen_by_the_next_workflow(dbos: Any, tmp_path: Path) -> None:
    """With the tools that the first file of all brings: the toolset was there before."""
    library = make_library(tmp_path / 'bare', {'bare/SKILL.md': skill_text('bare')})
    capability = SkillsCapability(library)

    async def refresh() -> None:
        make_library(library, {'bare/go.sh': 'echo gone'})
        assert await capability.refresh()

    seen = in_workflow(dbos, capability, [load('bare'), script('go.sh', skill='bare')], before=refresh)
    assert seen.last == 'gone'


def test_a_selection_holds_inside(dbos: Any, library: Path) -> None:
    make_library(library, {'two/SKILL.md': skill_text('two'), 'two/b.md': 'BETA'})

    def pay() -> str:
        return 'PAID'

    bank = Skill('bank', 'Pays.', tools=[pay])
    capability = SkillsCapability(library, skills=[bank], select=lambda ctx, info: info.name in ctx.deps)
    steps = [load(), read('a.md'), script('x.py'), read('b.md', 'two')]
    seen = in_workflow(dbos, capability, steps, agent={'deps_type': list}, deps=['demo'])
    assert (seen.skills(), seen.answers[1:3]) == (['demo'], ['ALPHA', 'it ran []'])
    assert "There is no skill 'two'" in seen.last
    seen = in_workflow(dbos, capability, [load('bank'), [('pay', {})]], agent={'deps_type': list}, deps=['bank'])
    assert (seen.skills(), seen.last) == (['bank'], 'PAID')


@dataclass
class Ledger:
    day: date
    lock: Any


class Row(BaseModel):
    amount: int


PIXEL = BinaryContent(b'\x89PNG\r\n', media_type='image/png')
RESULTS: dict[str, tuple[Callable[[], Any], Any]] = {
    'text': (lambda: 'done', 'done'),
    'nothing': (lambda: None, None),
    'a model': (lambda: Row(amount=5), {'amount': 5}),
    'a dataclass that cannot be stored': (
        lambda: Ledger(date(2026, 1, 2), threading.Lock()),
        {'day': '2026-01-02', 'lock': repr},
    ),
    'a set and a tuple': (lambda: {'rows': (Row(amount=1), {2})}, {'rows': [{'amount': 1}, [2]]}),
    'an image': (lambda: PIXEL, PIXEL),
    'an image among others': (lambda: ['look', PIXEL], ['look', PIXEL]),
    'a function': (lambda: test_a_selection_holds_inside, repr),
    'text that cannot be encoded': (lambda: 'half \ud83d', 'half \ufffd'),
}


@pytest.mark.parametrize('kind', RESULTS)
@pytest.mark.parametrize('inside', [True, False])
def test_results_of_python_functions_are_plain_data(dbos: Any, kind: str, inside: bool) -> None:
    make, expected = RESULTS[kind]
    bank = Skill('bank', 'Pays.')
    bank.script(name='pay')(make)
    seen = in_workflow(
        dbos, SkillsCapability(skills=[bank]), [load('bank'), script('pay', skill='bank')], inside=inside
    )
    answer = seen.answers[-1]
    if expected is repr:
        assert isinstance(answer, str) and 'function' in answer
    elif kind == 'a dataclass that cannot be stored':
        assert answer['day'] == '2026-01-02' and 'lock' in answer['lock']
    else:
        assert answer == expected


@pytest.mark.parametrize('inside', [True, False])
def test_a_tool_return_of_a_function_stays_one(dbos: Any, inside: bool) -> None:
    bank = Skill('bank', 'Pays.')

    @bank.script
    def pay() -> ToolReturn:
        return ToolReturn('paid', content=['a receipt', PIXEL], metadata={'lock': threading.Lock()})

    seen = in_workflow(
        dbos, SkillsCapability(skills=[bank]), [load('bank'), script('pay', skill='bank')], inside=inside
    )
    assert seen.answers[-1] == 'paid'
    parts = [part for message in seen.result.all_messages() for part in message.parts]
    prompts = [part.content for part in parts if isinstance(part, UserPromptPart)]
    assert prompts[-1] == ['a receipt', PIXEL]


def test_what_a_function_raises_steers_the_run(dbos: Any) -> None:
    bank = Skill('bank', 'Pays.')

    @bank.script
    def again() -> str:
        raise ModelRetry('say how much')

    @bank.script
    def failed() -> str:
        raise ToolFailed('the bank is closed')

    @bank.script
    def broken() -> str:
        raise LookupError('no such account')

    steps = [load('bank'), *(script(name, skill='bank') for name in ('again', 'failed', 'broken'))]
    seen = in_workflow(dbos, SkillsCapability(skills=[bank]), steps)
    assert 'say how much' in seen.answers[1]
    assert seen.answers[2:] == ['the bank is closed', 'broken failed: LookupError: no such account']


def test_the_models_mistakes_are_retries_inside_too(dbos: Any, library: Path) -> None:
    with pytest.raises(UnexpectedModelBehavior, match='run_skill_script'):
        in_workflow(dbos, SkillsCapability(library, max_retries=1), [load(), *[script('nothing.py')] * 3])
    assert count(library) == 0


def test_a_predicate_that_raises_ends_the_run_inside_too(dbos: Any, library: Path) -> None:
    def policy(ctx: RunContext[Any], script: Any, args: Any) -> bool:
        raise PermissionError('no rights')

    with pytest.raises(PermissionError, match='no rights'):
        in_workflow(dbos, SkillsCapability(library, approval=policy), [load(), script('x.py')])
    assert count(library) == 0


def test_an_approval_is_asked_for_outside_the_recorded_step(dbos: Any, library: Path) -> None:
    asks: dict[str, Any] = {'output_type': [str, DeferredToolRequests]}
    seen = in_workflow(dbos, SkillsCapability(library, approval='scripts'), [load(), script('x.py')], agent=asks)
    assert [metadata['script'] for metadata in seen.result.output.metadata.values()] == ['scripts/x.py']


def test_with_tools_that_a_skill_brings_and_ids_of_ones_own(dbos: Any, library: Path) -> None:
    def pay() -> str:
        return 'PAID'

    bank = Skill('bank', 'Pays.', tools=[pay])
    capabilities = [SkillsCapability(library, id='files'), SkillsCapability(skills=[bank], id='python')]
    seen = in_workflow(dbos, capabilities, [load(), load('bank'), script('x.py'), [('pay', {})]])
    assert (seen.skills(), seen.answers[2:]) == (['bank', 'demo'], ['it ran []', 'PAID'])
