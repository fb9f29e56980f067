"""Scripts that are functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import (
    ModelRetry,
    RunContext,
)
from pydantic_ai.exceptions import ApprovalRequired

from pydantic_ai_skills import (
    Skill,
    SkillsCapability,
    SkillScript,
)

from ..support import load, make_library, run, script
from .helpers import ASKS, decide, request, resume


def python_skill() -> tuple[Skill, list[Any]]:
    calls: list[Any] = []
    bank = Skill('bank', 'Pays.')

    @bank.script
    def pay(amount: int, to: str = 'bob') -> str:
        calls.append((amount, to))
        return f'paid {amount} to {to}'

    return bank, calls


@pytest.mark.parametrize('metadata', [True, False])
def test_a_script_that_is_a_python_function(metadata: bool) -> None:
    bank, calls = python_skill()
    capability = SkillsCapability(skills=[bank], approval='scripts')
    seen = run(capability, [load('bank'), script('pay', {'amount': '5'}, 'bank')], agent=ASKS)
    shown = {'skill': 'bank', 'script': 'pay', 'argv': {'amount': '5'}, 'source': 'skill://bank', 'digest': None}
    assert (request(seen), calls) == (shown, [])
    assert resume(capability, seen, decide(seen, metadata=metadata)).last == 'paid 5 to bob'
    assert calls == [(5, 'bob')]


def test_a_python_function_with_wrong_arguments_asks_nobody() -> None:
    bank, calls = python_skill()
    capability = SkillsCapability(skills=[bank], approval='scripts')
    seen = run(capability, [load('bank'), script('pay', {'amount': 'many'}, 'bank')], agent=ASKS)
    assert ('amount' in seen.last, seen.result.output, calls) == (True, 'done', [])


def test_a_function_that_asks_by_itself() -> None:
    bank = Skill('bank', 'Pays.')

    @bank.script
    def pay(ctx: RunContext[Any], amount: int) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={'amount': amount})
        return f'paid {amount}, knowing {ctx.tool_call_metadata}'

    capability = SkillsCapability(skills=[bank])
    seen = run(capability, [load('bank'), script('pay', {'amount': 5}, 'bank')], agent=ASKS)
    assert request(seen) == {'amount': 5}
    assert resume(capability, seen, decide(seen)).last == "paid 5, knowing {'amount': 5}"
    both = SkillsCapability(skills=[bank], approval='scripts')
    seen = run(both, [load('bank'), script('pay', {'amount': 5}, 'bank')], agent=ASKS)
    assert resume(both, seen, decide(seen)).last.startswith('paid 5')


def test_a_file_that_a_python_skill_names(tmp_path: Path) -> None:
    path = make_library(tmp_path, {'tools/x.py': 'print("one")'}) / 'tools/x.py'
    bank = Skill('bank', 'Pays.', scripts=[SkillScript('x.py', uri=str(path))])
    capability = SkillsCapability(skills=[bank], approval='scripts')
    seen = run(capability, [load('bank'), script('x.py', skill='bank')], agent=ASKS)
    path.write_text('print("two")')
    again = resume(capability, seen, decide(seen))
    assert request(again)['digest'] != request(seen)['digest']
    assert resume(capability, again, decide(again)).last == 'two'


def test_a_retry_of_a_function_after_its_approval() -> None:
    bank = Skill('bank', 'Pays.')

    @bank.script
    def pay() -> str:
        raise ModelRetry('say how much')

    capability = SkillsCapability(skills=[bank], approval='scripts')
    seen = run(capability, [load('bank'), script('pay', skill='bank')], agent=ASKS)
    assert 'say how much' in resume(capability, seen, decide(seen)).last
