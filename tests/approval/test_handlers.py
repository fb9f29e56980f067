"""Requests that are answered within the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import (
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    ToolDenied,
)
from pydantic_ai.capabilities import HandleDeferredToolCalls, Hooks, PrefixTools, WrapperCapability
from pydantic_ai.exceptions import ApprovalRequired

from pydantic_ai_skills import (
    SkillsCapability,
)

from ..support import load, make_library, run, script, skill_text
from .helpers import ASKS, CANNOT_ASK, WRITES, asked, ran, request, resume


class Handler:
    """Answers every request, and keeps what it was shown."""

    def __init__(self, decision: Any = True) -> None:
        self.decision = decision
        self.shown: list[Any] = []

    async def __call__(self, ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults | None:
        self.shown += requests.metadata.values()
        if self.decision is None:
            return None
        return requests.build_results(approvals={call.tool_call_id: self.decision for call in requests.approvals})


@pytest.mark.parametrize('first', [True, False])
@pytest.mark.parametrize('output', [{}, ASKS])
def test_a_handler_approves_in_the_run(library: Path, first: bool, output: dict[str, Any]) -> None:
    handler = Handler()
    capabilities: list[Any] = [SkillsCapability(library, approval='scripts'), HandleDeferredToolCalls(handler)]
    seen = run(capabilities if first else capabilities[::-1], [load(), script('x.py', ['5'])], agent=output)
    assert seen.last == "it ran ['5']"
    assert [(shown['script'], shown['argv']) for shown in handler.shown] == [('scripts/x.py', ['5'])]


def test_a_handler_denies_in_the_run(library: Path) -> None:
    handler = Handler(ToolDenied('no'))
    seen = run(
        [SkillsCapability(library, approval='scripts'), HandleDeferredToolCalls(handler)], [load(), script('x.py')]
    )
    assert (seen.last, ran(library)) == ('no', [])


class Mine(WrapperCapability[Any]):
    async def handle_deferred_tool_calls(self, ctx: RunContext[Any], *, requests: DeferredToolRequests) -> Any:
        return requests.build_results(approve_all=True)


def test_a_handler_of_ones_own_in_a_wrapper(library: Path) -> None:
    seen = run(Mine(wrapped=SkillsCapability(library, approval='scripts')), [load(), script('x.py')])
    assert seen.last == 'it ran []'


UNANSWERED = (
    'The script was not run: it needs the approval of a person, and nobody answered the request. Go on without it.'
)


@pytest.mark.parametrize('first', [True, False])
@pytest.mark.parametrize('kind', ['declines', 'hooks without one', 'prefixed'])
def test_a_request_that_no_handler_answers(library: Path, kind: str, first: bool) -> None:
    """The framework would end the run; the agent cannot return the request either."""
    capability: Any = SkillsCapability(library, approval='scripts')
    handler: Any = Hooks() if kind == 'hooks without one' else HandleDeferredToolCalls(Handler(None))
    step = script('x.py')
    if kind == 'prefixed':
        capability, step = PrefixTools(wrapped=capability, prefix='ns'), script('x.py', tool='ns_run_skill_script')
    capabilities = [capability, handler] if first else [handler, capability]
    seen = run(capabilities, [load(), step])
    assert (seen.last, seen.result.output, ran(library)) == (UNANSWERED, 'done', [])


def test_a_request_that_no_handler_answers_is_returned_where_the_agent_can(library: Path) -> None:
    capabilities = [SkillsCapability(library, approval='scripts'), HandleDeferredToolCalls(Handler(None))]
    assert len(asked(run(capabilities, [load(), script('x.py')], agent=ASKS)).approvals) == 1


def test_somebody_elses_request_is_left_to_the_framework(library: Path) -> None:
    def pay() -> str:
        raise ApprovalRequired(metadata={'sum': 5})

    capabilities = [SkillsCapability(library, approval='scripts'), Hooks()]
    with pytest.raises(Exception, match='DeferredToolRequests'):
        run(capabilities, [[('pay', {})]], agent={'tools': [pay]})


def test_a_package_that_changes_while_a_handler_decides(library: Path) -> None:
    def change(ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults:
        (library / 'demo/scripts/x.py').write_text(f'{WRITES}# {len(list(library.rglob("*")))}\n')
        return requests.build_results(approve_all=True)

    capabilities = [SkillsCapability(library, approval='scripts'), HandleDeferredToolCalls(change)]
    seen = run(capabilities, [load(), script('x.py'), script('x.py')])
    assert 'Call it again to have it approved anew' in seen.answers[1]
    assert seen.last == 'it ran []'  # the change that the second approval made was the same text


def test_two_capabilities_of_which_one_asks(library: Path, tmp_path: Path) -> None:
    free = make_library(tmp_path / 'free', {'free/SKILL.md': skill_text('free'), 'free/f.sh': 'echo free'})
    for order in (1, -1):
        capabilities = [SkillsCapability(free), SkillsCapability(library, approval='scripts')][::order]
        steps = [load(), load('free'), script('f.sh', skill='free'), script('x.py')]
        assert run(capabilities, steps).answers[2:] == ['free', CANNOT_ASK]
        assert run([*capabilities, Hooks()], steps).last == UNANSWERED
        seen = run(capabilities, steps, agent=ASKS)
        assert request(seen)['skill'] == 'demo'


def test_two_requests_at_once_are_two_decisions(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), [*script('safe.py', ['1']), *script('safe.py', ['2'])]], agent=ASKS)
    first, second = asked(seen).approvals
    results = DeferredToolResults(
        approvals={first.tool_call_id: True, second.tool_call_id: ToolDenied('not two')},
        metadata=asked(seen).metadata,
    )
    assert resume(capability, seen, results).answers[-2:] == ['safe ran', 'not two']


def test_a_skill_that_is_not_loaded_asks_nobody(library: Path) -> None:
    seen = run(SkillsCapability(library, approval='scripts'), [script('x.py')], agent=ASKS)
    assert 'load_capability' in seen.last
