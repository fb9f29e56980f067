"""Who is asked what, and what the answer does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import (
    ToolDenied,
)

from pydantic_ai_skills import (
    SkillsCapability,
)
from pydantic_ai_skills.digest import package_digest

from ..support import load, make_library, read, run, script, skill_text
from .helpers import ASKS, WRITES, asked, decide, forget, ran, request, resume


def test_the_run_stops_with_what_is_to_be_approved(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), read('a.md'), script('x.py', ['in.pdf', 2], stdin='text')], agent=ASKS)
    assert seen.answers == [seen.answers[0], 'ALPHA']
    [call] = asked(seen).approvals
    assert call.tool_name == 'run_skill_script'
    assert request(seen) == {
        'skill': 'demo',
        'script': 'scripts/x.py',
        'argv': ['in.pdf', '2'],
        'source': str(library / 'demo'),
        'digest': package_digest(library / 'demo'),
        'stdin': 'text',
    }
    assert json.loads(json.dumps(request(seen))) == request(seen)
    assert ran(library) == []


@pytest.mark.parametrize('metadata', [True, False])
def test_approved_it_runs_once(library: Path, metadata: bool) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py', ['a b'])], agent=ASKS)
    approved = resume(capability, seen, decide(seen, metadata=metadata))
    assert approved.last == "it ran ['a b']"
    assert approved.result.output == 'done'
    assert ran(library) == ["['a b']"]


def test_denied_it_does_not_run(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    denied = resume(capability, seen, decide(seen, ToolDenied('not today')))
    assert (denied.last, denied.result.output, ran(library)) == ('not today', 'done', [])


def test_never_is_as_without(library: Path) -> None:
    assert run(SkillsCapability(library, approval='never'), [load(), script('x.py')]).last == 'it ran []'


def test_another_capability_object_of_the_process_remembers(library: Path) -> None:
    """A web application may make an agent for each request."""
    seen = run(SkillsCapability(library, approval='scripts'), [load(), script('x.py')], agent=ASKS)
    approved = resume(SkillsCapability(library, approval='scripts'), seen, decide(seen, metadata=False))
    assert approved.last == 'it ran []'


def test_what_neither_metadata_nor_memory_know_is_asked_again(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    forget()
    again = resume(capability, seen, decide(seen, metadata=False))
    assert request(again) == request(seen)
    assert ran(library) == []
    assert resume(capability, again, decide(again)).last == 'it ran []'


@pytest.mark.parametrize('lie', [{}, {'skill': 'demo'}, {'skill': 'demo', 'script': 'scripts/x.py', 'digest': None}])
def test_metadata_that_do_not_say_what_was_shown_are_none(library: Path, lie: dict[str, Any]) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    forget()
    [call] = asked(seen).approvals
    again = resume(capability, seen, decide(seen, metadata={call.tool_call_id: lie}))
    assert request(again) == request(seen)
    assert ran(library) == []


CHANGES = {
    'the script': lambda demo: (demo / 'scripts/x.py').write_text(WRITES + '# other\n'),
    'a file that it may import': lambda demo: (demo / 'scripts/helper.py').write_text('x = 1'),
    'the instructions': lambda demo: (demo / 'SKILL.md').write_text(skill_text(body='Other.')),
    'an execute bit': lambda demo: (demo / 'scripts/x.py').chmod(0o755),
    'a file that is gone': lambda demo: (demo / 'a.md').unlink(),
}


@pytest.mark.parametrize('change', CHANGES)
@pytest.mark.parametrize('metadata', [True, False])
def test_a_package_that_has_changed_since_is_asked_again(library: Path, change: str, metadata: bool) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    CHANGES[change](library / 'demo')
    again = resume(capability, seen, decide(seen, metadata=metadata))
    assert request(again)['digest'] == package_digest(library / 'demo') != request(seen)['digest']
    assert ran(library) == []
    assert resume(capability, again, decide(again, metadata=metadata)).last == 'it ran []'
    assert ran(library) == ['[]']


def test_what_the_defaults_exclude_is_no_change(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    make_library(library, {'demo/scripts/__pycache__/x.pyc': b'\0', 'demo/.DS_Store': b'\0'})
    assert resume(capability, seen, decide(seen)).last == 'it ran []'


def test_a_script_that_is_gone_when_it_is_approved(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    for path in sorted(library.rglob('*'), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    library.rmdir()
    answered = resume(capability, seen, decide(seen))
    assert answered.last == 'scripts/x.py was not run: its files cannot be read (No such file or directory).'
    assert answered.result.output == 'done'
