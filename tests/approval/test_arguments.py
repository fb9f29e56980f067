"""The arguments that were shown are those it runs with, unless the approver gives others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import (
    RunContext,
    ToolApproved,
)
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ToolCallPart

from pydantic_ai_skills import (
    SkillsCapability,
    SkillScript,
)

from ..support import load, run, script
from .helpers import ASKS, decide, ran, request, resume


def test_arguments_that_the_approver_gives_instead_are_used(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py', ['--all'])], agent=ASKS)
    instead = {'skill_name': 'demo', 'script_name': 'x.py', 'args': ['--one'], 'stdin': 'text'}
    assert resume(capability, seen, decide(seen, ToolApproved(override_args=instead))).last == "it ran ['--one']"


def test_arguments_that_the_approver_gives_instead_are_checked(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py', ['--all'])], agent=ASKS)
    wrong = {'skill_name': 'demo', 'script_name': 'x.py', 'args': ['nul\0']}
    refused = resume(capability, seen, decide(seen, ToolApproved(override_args=wrong)))
    assert 'was not run' in refused.last
    other = {'skill_name': 'demo', 'script_name': 'safe.py', 'args': ['--all']}
    again = resume(capability, seen, decide(seen, ToolApproved(override_args=other)))
    assert request(again)['script'] == 'scripts/safe.py'
    assert ran(library) == []


def test_the_predicate_is_asked_about_the_arguments_that_the_approver_gives(library: Path) -> None:
    asked_for: list[Any] = []

    def policy(ctx: RunContext[Any], script: SkillScript, args: Any) -> bool:
        asked_for.append(args)
        if args == ['--forbidden']:
            raise PermissionError('never that')
        return True

    capability = SkillsCapability(library, approval=policy)
    seen = run(capability, [load(), script('x.py', ['--all'])], agent=ASKS)
    instead = {'skill_name': 'demo', 'script_name': 'x.py', 'args': ['--forbidden']}
    with pytest.raises(PermissionError, match='never that'):
        resume(capability, seen, decide(seen, ToolApproved(override_args=instead)))
    assert asked_for == [['--all'], ['--forbidden']]
    assert ran(library) == []


def test_a_conversation_that_was_changed_after_the_person_had_looked(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py', ['harmless'])], agent=ASKS)
    history = seen.result.all_messages()
    [call] = [part for part in history[-1].parts if isinstance(part, ToolCallPart)]
    call.args = {**call.args_as_dict(), 'args': ['harmful']}
    again = resume(capability, seen, decide(seen), message_history=history)
    assert request(again)['argv'] == ['harmful']
    assert ran(library) == []


def test_a_hook_that_changes_arguments_is_no_obstacle(library: Path) -> None:
    """What is shown is what runs, and that is after the hook."""

    async def add(ctx: RunContext[Any], *, call: Any, tool_def: Any, args: dict[str, Any]) -> dict[str, Any]:
        return {**args, 'args': ['--dry-run']} if call.tool_name == 'run_skill_script' else args

    capabilities = [SkillsCapability(library, approval='scripts'), Hooks(before_tool_execute=add)]
    seen = run(capabilities, [load(), script('x.py', ['--all'])], agent=ASKS)
    assert request(seen)['argv'] == ['--dry-run']
    assert resume(capabilities, seen, decide(seen)).last == "it ran ['--dry-run']"


@pytest.mark.parametrize('args', [['5'], {'pages': 2}, '["5"]', '--pages 2', None])
def test_every_form_of_arguments_comes_back_the_same(library: Path, args: Any) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py', args)], agent=ASKS)
    words = request(seen)['argv']
    assert resume(capability, seen, decide(seen)).last == f'it ran {words!r}'


def test_wrong_arguments_are_the_models_mistake_before_anybody_is_asked(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py', ['nul\0'])], agent=ASKS)
    assert seen.result.output == 'done'
    assert 'was not run' in seen.last
    seen = run(capability, [load(), script('nothing.py')], agent=ASKS)
    assert "no script 'nothing.py'" in seen.last
