"""One catalog and one pair of tools, in whatever way capabilities are combined (contract, sections 2 and 7)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import PrefixTools, Thinking, WrapperCapability
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.workspaces import LocalWorkspaceBackend
from pydantic_ai_harness.skills import Skills

from pydantic_ai_skills import SkillsCapability

from .support import Seen, arun, collect, load, make_library, need_dbos, read, run, script, scripted, skill_text

PAIR = ['read_skill_resource', 'run_skill_script']
BOTH = [load(), load('two'), read('a.md'), read('b.md', 'two'), script('x.py'), script('y.py', skill='two')]


@pytest.fixture
def one(tmp_path: Path) -> Path:
    files = {'demo/SKILL.md': skill_text(), 'demo/a.md': 'ALPHA', 'demo/scripts/x.py': 'print("x ran")'}
    return make_library(tmp_path / 'one', files)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    files = {'two/SKILL.md': skill_text('two'), 'two/b.md': 'BETA', 'two/scripts/y.py': 'print("y ran")'}
    return make_library(tmp_path / 'two', files)


@pytest.fixture
def rival(tmp_path: Path) -> Path:
    """Another skill called `demo`."""
    return make_library(
        tmp_path / 'rival', {'demo/SKILL.md': skill_text(description='The rival.'), 'demo/a.md': 'RIVAL'}
    )


def check_both(seen: Seen) -> None:
    assert seen.skills() == ['demo', 'two']
    assert seen.tools[0] == ['load_capability', *PAIR]
    assert [answer.strip() for answer in seen.answers[2:]] == ['ALPHA', 'BETA', 'x ran', 'y ran']


def test_direct(one: Path) -> None:
    seen = run(SkillsCapability(one), [load(), read('a.md'), script('x.py')])
    assert seen.skills() == ['demo']
    assert seen.tools == [['load_capability', *PAIR]] * 4
    assert seen.answers[1:] == ['ALPHA', 'x ran']
    assert seen.warnings == []


@pytest.mark.parametrize('id', [None, 'mine'])
def test_prefixed_tools(one: Path, id: str | None) -> None:
    wrapper = PrefixTools(wrapped=SkillsCapability(one, id=id), prefix='ns', id=None if id is None else 'wrapper')
    steps = [load(), read('a.md', tool='ns_read_skill_resource'), script('x.py', tool='ns_run_skill_script')]
    seen = run(wrapper, steps)
    assert seen.skills() == ['demo']
    assert seen.tools[0] == ['load_capability', 'ns_read_skill_resource', 'ns_run_skill_script']
    assert seen.answers[1:] == ['ALPHA', 'x ran']


def test_in_another_wrapper(one: Path) -> None:
    seen = run(WrapperCapability(wrapped=SkillsCapability(one)), [load(), read('a.md')])
    assert (seen.skills(), seen.tools[0], seen.last) == (['demo'], ['load_capability', *PAIR], 'ALPHA')


def test_in_two_wrappers(one: Path) -> None:
    wrapped = WrapperCapability(wrapped=PrefixTools(wrapped=SkillsCapability(one), prefix='ns'))
    seen = run(wrapped, [load(), read('a.md', tool='ns_read_skill_resource')])
    assert (seen.skills(), seen.last) == (['demo'], 'ALPHA')


@pytest.mark.parametrize('where', ['agent', 'run'])
def test_returned_by_a_function(one: Path, where: str) -> None:
    async def choose(ctx: RunContext[Any]) -> SkillsCapability[Any]:
        return await SkillsCapability.create(one)

    steps = [load(), read('a.md'), script('x.py')]
    seen = run([choose], steps) if where == 'agent' else run([], steps, capabilities=[choose])
    assert (seen.skills(), seen.tools[0]) == (['demo'], ['load_capability', *PAIR])
    assert seen.answers[1:] == ['ALPHA', 'x ran']


def test_returned_unbound_by_for_run(one: Path) -> None:
    class Late(WrapperCapability[Any]):
        async def for_run(self, ctx: RunContext[Any]) -> Any:
            return await SkillsCapability(one).for_run(ctx)

    seen = run(Late(wrapped=Thinking()), [load(), read('a.md')])
    assert (seen.skills(), seen.tools[0], seen.last) == (['demo'], ['load_capability', *PAIR], 'ALPHA')


@pytest.mark.parametrize(('first', 'second'), [(None, None), ('a', 'b'), (None, 'b'), ('a', None)])
def test_two_on_one_agent(one: Path, two: Path, first: str | None, second: str | None) -> None:
    seen = run([SkillsCapability(one, id=first), SkillsCapability(two, id=second)], BOTH)
    check_both(seen)
    assert seen.warnings == []


def test_two_on_one_agent_one_of_them_prefixed(one: Path, two: Path) -> None:
    seen = run([SkillsCapability(one), PrefixTools(wrapped=SkillsCapability(two), prefix='ns')], [load(), load('two')])
    assert seen.skills() == ['demo', 'two']
    assert len([name for name in seen.tools[0] if name.endswith('read_skill_resource')]) == 1


def test_two_on_one_agent_one_of_them_from_a_function(one: Path, two: Path) -> None:
    check_both(run([SkillsCapability(one), lambda ctx: SkillsCapability(two)], BOTH))


def test_two_of_which_one_has_no_files(one: Path, tmp_path: Path) -> None:
    bare = SkillsCapability(make_library(tmp_path / 'bare', {'bare/SKILL.md': skill_text('bare')}))
    for order in ([SkillsCapability(one), bare], [bare, SkillsCapability(one)]):
        seen = run(order, [load(), read('a.md')])
        assert (seen.skills(), seen.tools[0], seen.last) == (['bare', 'demo'], ['load_capability', *PAIR], 'ALPHA')


@pytest.mark.parametrize('ids', [(None, None), ('a', 'b')])
def test_two_on_one_agent_with_one_name(one: Path, rival: Path, ids: tuple[str | None, str | None]) -> None:
    capabilities = [SkillsCapability(one, id=ids[0]), SkillsCapability(rival, id=ids[1])]
    seen = run(capabilities, [load(), read('a.md')])
    assert seen.skills() == ['demo']
    assert 'The rival.' in seen.catalogs[0]
    assert seen.last == 'RIVAL'
    assert len([text for text in seen.warnings if "'demo'" in text and str(rival) in text]) == 1


def test_two_with_the_same_package_do_not_warn(one: Path, tmp_path: Path) -> None:
    seen = run([SkillsCapability(one), SkillsCapability(one)], [load(), read('a.md')])
    assert (seen.skills(), seen.last, seen.warnings) == (['demo'], 'ALPHA', [])


def test_one_object_twice_on_one_agent(one: Path) -> None:
    capability = SkillsCapability(one)
    seen = run([capability, capability], [load(), read('a.md')])
    assert (seen.skills(), seen.tools[0], seen.last) == (['demo'], ['load_capability', *PAIR], 'ALPHA')


@pytest.mark.parametrize('id', [None, 'same'])
def test_one_for_the_run_under_the_same_id_replaces(one: Path, two: Path, id: str | None) -> None:
    added = [SkillsCapability(two, id=id)]
    seen = run(SkillsCapability(one, id=id), [load('two'), read('b.md', 'two'), read('a.md')], capabilities=added)
    assert (seen.skills(), seen.tools[0]) == (['two'], ['load_capability', *PAIR])
    assert seen.answers[1] == 'BETA'
    assert 'ALPHA' not in seen.everything


def test_the_same_object_for_the_run_too(one: Path) -> None:
    capability = SkillsCapability(one)
    seen = run(capability, [load(), read('a.md')], capabilities=[capability])
    assert (seen.skills(), seen.tools[0], seen.last) == (['demo'], ['load_capability', *PAIR], 'ALPHA')


@pytest.mark.parametrize('ids', [(None, 'b'), ('a', None), ('a', 'b')])
def test_one_for_the_run_under_another_id_adds(one: Path, two: Path, ids: tuple[str | None, str | None]) -> None:
    check_both(run(SkillsCapability(one, id=ids[0]), BOTH, capabilities=[SkillsCapability(two, id=ids[1])]))


def test_one_for_the_run_under_another_id_wins_a_name(one: Path, rival: Path) -> None:
    capability, added = SkillsCapability(one), SkillsCapability(rival, id='b')
    seen = run(capability, [load(), read('a.md')], capabilities=[added])
    assert (seen.skills(), seen.last) == (['demo'], 'RIVAL')
    assert 'The rival.' in seen.catalogs[0]
    assert len([text for text in seen.warnings if "'demo'" in text]) == 1
    assert run(capability, [load(), read('a.md')], capabilities=[added]).warnings == []


@pytest.mark.parametrize('ids', [(None, None), ('a', 'b')])
def test_two_for_the_run(one: Path, two: Path, ids: tuple[str | None, str | None]) -> None:
    check_both(run([], BOTH, capabilities=[SkillsCapability(one, id=ids[0]), SkillsCapability(two, id=ids[1])]))


def test_the_same_explicit_id_twice_is_a_mistake(one: Path, two: Path) -> None:
    with pytest.raises(UserError, match="'same'"):
        run([SkillsCapability(one, id='same'), SkillsCapability(two, id='same')])


def test_a_skill_named_like_another_capability_is_refused_by_name(tmp_path: Path) -> None:
    library = make_library(tmp_path, {'thinking/SKILL.md': skill_text('thinking'), 'ok/SKILL.md': skill_text('ok')})
    with pytest.raises(UserError, match="'thinking'"):
        run([SkillsCapability(library), Thinking()])
    assert run([SkillsCapability(library, exclude=['thinking']), Thinking()]).skills() == ['ok']


def test_a_skill_named_like_our_own_parts(tmp_path: Path) -> None:
    names = ['agent-skills', 'skills', 'agent-skills-catalog']
    files = {f'{name}/SKILL.md': skill_text(name) for name in names}
    library = make_library(tmp_path, {**files, 'agent-skills/a.md': 'ALPHA'})
    seen = run(SkillsCapability(library), [load('agent-skills'), read('a.md', 'agent-skills')])
    assert (seen.skills(), seen.last) == (sorted(names), 'ALPHA')


def test_beside_the_skills_of_harness(one: Path, two: Path) -> None:
    theirs: Any = Skills(two, workspace=LocalWorkspaceBackend(two))
    seen = run([SkillsCapability(one), theirs], [load(), load('two'), read('a.md'), read('b.md', 'two')])
    assert (seen.skills(), seen.tools[0]) == (['demo', 'two'], ['load_capability', *PAIR])
    assert seen.answers[2] == 'ALPHA'
    assert "There is no skill 'two'" in seen.last


def test_streaming(one: Path) -> None:
    async def stream() -> Seen:
        seen = Seen()
        agent = Agent(scripted([load(), read('a.md'), script('x.py')], seen), capabilities=[SkillsCapability(one)])
        async with agent.run_stream('go') as result:
            assert await result.get_output() == 'done'
        collect(seen, result.all_messages())
        return seen

    seen = asyncio.run(stream())
    assert (seen.skills(), seen.answers[1:]) == (['demo'], ['ALPHA', 'x ran'])


def test_resumed_from_stored_history(one: Path) -> None:
    history = run(SkillsCapability(one), [load()]).result.all_messages()
    stored = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(history))
    seen = run(SkillsCapability(one), [read('a.md'), script('x.py')], message_history=stored)
    assert seen.answers[-2:] == ['ALPHA', 'x ran']


def test_loading_and_using_in_one_response(one: Path) -> None:
    seen = run(SkillsCapability(one), [[*load(), *read('a.md'), *script('x.py')]])
    assert seen.answers[1:] == ['ALPHA', 'x ran']
    shut = run(SkillsCapability(one), [[*read('a.md')]])
    assert 'load_capability' in shut.last


@pytest.fixture
def dbos(tmp_path: Path) -> Iterator[Any]:
    need_dbos()
    from dbos import DBOS

    DBOS(
        config={'name': 'skills', 'system_database_url': f'sqlite:///{tmp_path}/dbos.sqlite', 'run_admin_server': False}
    )
    yield DBOS
    DBOS.destroy()


@pytest.mark.parametrize('ids', [[None], [None, None], ['a', 'b']])
def test_under_dbos(one: Path, two: Path, dbos: Any, ids: list[str | None]) -> None:
    from pydantic_ai.durable_exec.dbos import DBOSDurability

    seen = Seen()
    capabilities = [SkillsCapability(path, id=id) for path, id in zip([one, two], ids, strict=False)]
    steps = BOTH if len(ids) == 2 else [load(), read('a.md'), script('x.py')]
    agent = Agent(scripted(steps, seen), name='durable', capabilities=[DBOSDurability(), *capabilities])

    @dbos.workflow()
    async def work() -> Any:
        return (await agent.run('go')).all_messages()

    async def main() -> list[str]:
        dbos.launch()
        collect(seen, await work())
        [workflow] = await dbos.list_workflows_async()
        return [step['function_name'] for step in await dbos.list_workflow_steps_async(workflow.workflow_id)]

    recorded = [name for name in asyncio.run(main()) if 'run_skill_script' in name]
    assert len(recorded) == len(ids)
    if len(ids) == 2:
        check_both(seen)
    else:
        assert (seen.skills(), seen.answers[1:]) == (['demo'], ['ALPHA', 'x ran'])


def test_from_a_yaml_spec(one: Path, tmp_path: Path) -> None:
    spec = tmp_path / 'agent.yaml'
    spec.write_text(
        f'model: test\ncapabilities:\n  - SkillsCapability:\n      directories: {one}\n      include: [demo]\n'
    )
    seen = Seen()
    agent = Agent.from_file(
        spec, custom_capability_types=[SkillsCapability], model=scripted([load(), read('a.md')], seen)
    )
    collect(seen, agent.run_sync('go').all_messages())
    assert (seen.skills(), seen.tools[0], seen.last) == (['demo'], ['load_capability', *PAIR], 'ALPHA')


def test_many_runs_at_once(one: Path, two: Path) -> None:
    async def main() -> list[Seen]:
        capability = [SkillsCapability(one), SkillsCapability(two)]
        return await asyncio.gather(*(arun(capability, BOTH) for _ in range(5)))

    for seen in asyncio.run(main()):
        check_both(seen)
