"""`approval`: a person approves exactly the script, the arguments and the package that were shown (contract, section 7)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    RunContext,
    ToolApproved,
    ToolDenied,
)
from pydantic_ai.capabilities import HandleDeferredToolCalls, Hooks, PrefixTools, WrapperCapability
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, ToolCallPart

from pydantic_ai_skills import (
    CallableSkillScriptExecutor,
    LocalSkillScriptExecutor,
    LocalSkillsRegistry,
    Skill,
    SkillsCapability,
    SkillScript,
)
from pydantic_ai_skills.digest import package_digest
from pydantic_ai_skills.shown import ShownRequests

from .support import Seen, load, make_library, read, run, script, skill_text

ASKS: dict[str, Any] = {'output_type': [str, DeferredToolRequests]}
WRITES = (
    'import pathlib, sys\npathlib.Path("ran").open("a").write(f"{sys.argv[1:]}\\n")\nprint("it ran", sys.argv[1:])\n'
)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    files = {'demo/SKILL.md': skill_text(), 'demo/a.md': 'ALPHA', 'demo/scripts/x.py': WRITES}
    return make_library(tmp_path / 'library', {**files, 'demo/scripts/safe.py': 'print("safe ran")'})


@pytest.fixture(autouse=True)
def forgetful() -> None:
    """Each test is a process that has shown nothing yet."""
    forget()


def forget() -> None:
    ShownRequests._shown.clear()


def ran(library: Path, skill: str = 'demo') -> list[str]:
    mark = library / skill / 'ran'
    return mark.read_text().splitlines() if mark.exists() else []


def asked(seen: Seen) -> DeferredToolRequests:
    assert isinstance(seen.result.output, DeferredToolRequests), seen.result.output
    return seen.result.output


def decide(seen: Seen, decision: Any = True, *, metadata: bool | Mapping[str, Any] = True) -> DeferredToolResults:
    """What a person decided about all that was asked."""
    requests = asked(seen)
    given: Any = requests.metadata if metadata is True else metadata or {}
    return DeferredToolResults(approvals={call.tool_call_id: decision for call in requests.approvals}, metadata=given)


def resume(capability: Any, seen: Seen, results: DeferredToolResults, **options: Any) -> Seen:
    options = {'agent': ASKS, 'message_history': seen.result.all_messages(), **options}
    return run(capability, deferred_tool_results=results, **options)


def request(seen: Seen) -> dict[str, Any]:
    [metadata] = asked(seen).metadata.values()
    return metadata


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


@pytest.mark.parametrize('kind', ['sync', 'async'])
def test_a_predicate_decides_call_by_call(library: Path, kind: str) -> None:
    asked_for: list[tuple[Any, str, Any]] = []

    def policy(ctx: RunContext[str], script: SkillScript, args: Any) -> bool:
        asked_for.append((ctx.deps, script.name, args))
        return script.name.endswith('x.py')

    async def later(ctx: RunContext[str], script: SkillScript, args: Any) -> bool:
        await asyncio.sleep(0)
        return policy(ctx, script, args)

    capability = SkillsCapability(library, approval=policy if kind == 'sync' else later)
    agent = {**ASKS, 'deps_type': str}
    seen = run(capability, [load(), [*script('safe.py'), *script('x.py', ['5'])]], agent=agent, deps='alice')
    assert seen.last == 'safe ran'
    assert [call.args_as_dict()['script_name'] for call in asked(seen).approvals] == ['x.py']
    assert sorted(asked_for, key=str) == [('alice', 'scripts/safe.py', None), ('alice', 'scripts/x.py', ['5'])]


@pytest.mark.parametrize('error', [LookupError('no rights'), PermissionError('no rights'), TimeoutError('no rights')])
@pytest.mark.parametrize('agent', [ASKS, {}])
def test_a_predicate_that_raises_ends_the_run(library: Path, error: Exception, agent: dict[str, Any]) -> None:
    def policy(ctx: RunContext[Any], script: SkillScript, args: Any) -> bool:
        raise error

    with pytest.raises(type(error), match='no rights'):
        run(SkillsCapability(library, approval=policy), [load(), script('x.py')], agent=agent)
    assert ran(library) == []


def test_what_is_no_policy_is_refused(library: Path) -> None:
    for wrong in ('always', True, None, ['x.py']):
        with pytest.raises(ValueError, match="approval must be 'never', 'scripts' or a function"):
            SkillsCapability(library, approval=wrong)  # type: ignore[arg-type]


CANNOT_ASK = (
    'scripts/x.py was not run: it needs the approval of a person, and this agent has no way to ask for one. '
    'Go on without it.'
)


@pytest.mark.parametrize('output_type', [str, list[str], str | None])
def test_an_agent_that_cannot_ask_gets_a_sentence(library: Path, output_type: Any) -> None:
    seen = Seen()
    steps = [load(), script('x.py')]
    if output_type != list[str]:
        seen = run(SkillsCapability(library, approval='scripts'), steps, agent={'output_type': output_type})
    else:
        steps.append([('final_result', {'response': []})])
        seen = run(SkillsCapability(library, approval='scripts'), steps, agent={'output_type': output_type})
    assert CANNOT_ASK in seen.answers
    assert ran(library) == []


@pytest.mark.parametrize(
    'output_type', [[str, DeferredToolRequests], (str, DeferredToolRequests), str | DeferredToolRequests]
)
def test_every_way_to_say_that_an_agent_returns_requests(library: Path, output_type: Any) -> None:
    seen = run(
        SkillsCapability(library, approval='scripts'), [load(), script('x.py')], agent={'output_type': output_type}
    )
    assert len(asked(seen).approvals) == 1


def test_an_output_type_of_one_run_is_not_seen(library: Path) -> None:
    """Nothing public tells a tool of it, so the agent has to name it (the documentation says so)."""
    seen = run(
        SkillsCapability(library, approval='scripts'),
        [load(), script('x.py')],
        output_type=[str, DeferredToolRequests],
    )
    assert seen.last == CANNOT_ASK


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


@pytest.fixture
def registry(library: Path) -> LocalSkillsRegistry:
    return LocalSkillsRegistry(library, layout='tree')


def test_a_registrys_package_runs_from_an_exact_copy(registry: LocalSkillsRegistry, library: Path) -> None:
    make_library(library, {'demo/scripts/where.py': 'import os\nprint(os.getcwd(), sorted(os.listdir(".")))'})
    executor = LocalSkillScriptExecutor()
    capability = SkillsCapability(registries=[registry], approval='scripts', script_executor=executor)
    seen = run(capability, [load(), script('where.py')], agent=ASKS)
    assert request(seen)['source'] == repr(registry)
    approved = resume(capability, seen, decide(seen))
    folder, _, names = approved.last.partition(' ')
    assert names == "['SKILL.md', 'a.md', 'scripts']"
    assert not Path(folder).exists()
    assert not Path(folder).is_relative_to(capability.packages['demo'].directory or '')


def test_a_registrys_package_that_has_changed_is_asked_again(registry: LocalSkillsRegistry) -> None:
    capability = SkillsCapability(registries=[registry], approval='scripts', script_executor=LocalSkillScriptExecutor())
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    directory = capability.packages['demo'].directory
    assert directory is not None
    (directory / 'scripts/x.py').write_text('print("other")')
    again = resume(capability, seen, decide(seen))
    assert request(again)['digest'] != request(seen)['digest']


def test_a_refresh_between_asking_and_approval(library: Path, registry: LocalSkillsRegistry) -> None:
    """The same content in another generation is the same package; another content is another."""
    capability = SkillsCapability(registries=[registry], approval='scripts', script_executor=LocalSkillScriptExecutor())
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    asyncio.run(capability.refresh())
    assert resume(capability, seen, decide(seen)).last == 'it ran []'
    (library / 'demo/scripts/x.py').write_text('print("version two")')
    asyncio.run(capability.refresh())
    again = resume(capability, seen, decide(seen))
    assert request(again)['digest'] != request(seen)['digest']
    assert resume(capability, again, decide(again)).last == 'version two'


def test_an_executor_of_ones_own_is_called_only_with_what_was_approved(library: Path) -> None:
    calls: list[str] = []

    def execute(script: SkillScript, args: Any) -> str:
        calls.append(script.name)
        return 'queued'

    capability = SkillsCapability(library, approval='scripts', script_executor=CallableSkillScriptExecutor(execute))
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    (library / 'demo/a.md').write_text('other')
    again = resume(capability, seen, decide(seen))
    assert calls == []
    assert resume(capability, again, decide(again)).last == 'queued'
    assert calls == ['scripts/x.py']


OTHER_PROCESS = """
import json, sys
from pathlib import Path
from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai_skills import SkillsCapability

stored = json.loads(Path(sys.argv[2]).read_text())
agent = Agent(
    FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('done')])),
    output_type=[str, DeferredToolRequests],
    capabilities=[SkillsCapability(sys.argv[1], approval='scripts')],
)
result = agent.run_sync(
    message_history=ModelMessagesTypeAdapter.validate_python(stored['messages']),
    deferred_tool_results=TypeAdapter(DeferredToolResults).validate_python(stored['results']),
)
parts = [part for message in result.all_messages() for part in message.parts]
answers = [part.content for part in parts if isinstance(part, ToolReturnPart)]
print(json.dumps([type(result.output).__name__, answers[-1]]))
"""


@pytest.mark.parametrize('metadata', [True, False])
def test_approved_in_another_process(library: Path, tmp_path: Path, metadata: bool) -> None:
    """Everything is stored as JSON between the two; without the metadata that process has nothing to compare with."""
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py', ['a'])], agent=ASKS)
    results = decide(seen, metadata=metadata)
    messages = ModelMessagesTypeAdapter.dump_python(seen.result.all_messages(), mode='json')
    stored = {'messages': messages, 'results': {'approvals': results.approvals, 'metadata': results.metadata}}
    (tmp_path / 'stored.json').write_text(json.dumps(stored))
    command = [sys.executable, '-c', OTHER_PROCESS, str(library), str(tmp_path / 'stored.json')]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    output, answer = json.loads(done.stdout)
    if metadata:
        assert (output, answer) == ('str', "it ran ['a']")
    else:
        assert output == 'DeferredToolRequests'
    assert ran(library) == (["['a']"] if metadata else [])


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch, library: Path) -> None:
    monkeypatch.setattr('pydantic_ai_skills.shown._REMEMBERED', 3)
    capability = SkillsCapability(library, approval='scripts')
    for _ in range(5):
        run(capability, [load(), script('x.py')], agent=ASKS)
    assert len(ShownRequests._shown) == 3


def test_a_retry_of_a_function_after_its_approval() -> None:
    bank = Skill('bank', 'Pays.')

    @bank.script
    def pay() -> str:
        raise ModelRetry('say how much')

    capability = SkillsCapability(skills=[bank], approval='scripts')
    seen = run(capability, [load('bank'), script('pay', skill='bank')], agent=ASKS)
    assert 'say how much' in resume(capability, seen, decide(seen)).last


def test_an_agent_that_is_called_by_another(library: Path) -> None:
    """What the inner agent can ask is its own matter, not the outer one's."""
    capability = SkillsCapability(library, approval='scripts')
    inner_seen: list[Seen] = []

    async def delegate() -> str:
        from .support import arun

        inner_seen.append(await arun(capability, [load(), script('x.py')]))
        return 'delegated'

    seen = run([], [[('delegate', {})]], agent={**ASKS, 'tools': [delegate]})
    assert (seen.last, inner_seen[0].last) == ('delegated', CANNOT_ASK)


def test_streaming(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = Seen()

    async def stream() -> Any:
        from .support import scripted

        agent = Agent(scripted([load(), script('x.py')], seen), capabilities=[capability], **ASKS)
        async with agent.run_stream('go') as result:
            return await result.get_output(), result.all_messages()

    output, messages = asyncio.run(stream())
    assert isinstance(output, DeferredToolRequests)
    assert isinstance(messages[-1], ModelResponse)
    assert [metadata['script'] for metadata in output.metadata.values()] == ['scripts/x.py']
