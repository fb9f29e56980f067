"""`select`: which skills exist for a run (contract, section 2)."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import PrefixTools
from pydantic_ai.messages import ModelMessagesTypeAdapter

from pydantic_ai_skills import Skill, SkillInfo, SkillsCapability

from .support import Seen, arun, collect, load, make_library, read, run, script, scripted, skill_text

PAIR = ['read_skill_resource', 'run_skill_script']


@dataclass
class Tenant:
    skills: frozenset[str]


def by_tenant(ctx: RunContext[Tenant], info: SkillInfo) -> bool:
    return info.name in ctx.deps.skills


@pytest.fixture
def library(tmp_path: Path) -> Path:
    files = {f'{name}/SKILL.md': skill_text(name, f'Is {name.upper()}.') for name in ('open', 'secret', 'bare')}
    for name in ('open', 'secret'):
        files |= {f'{name}/{name}.md': f'{name.upper()} FILE', f'{name}/scripts/{name}.py': f'print("{name} ran")'}
    return make_library(tmp_path / 'library', files)


def as_tenant(*names: str, **run_options: Any) -> dict[str, Any]:
    return {'agent': {'deps_type': Tenant}, 'deps': Tenant(frozenset(names)), **run_options}


def test_only_what_is_selected_is_in_the_catalog(library: Path) -> None:
    capability = SkillsCapability(library, select=by_tenant)
    assert run(capability, **as_tenant('open', 'bare')).skills() == ['bare', 'open']
    assert run(capability, **as_tenant('secret')).skills() == ['secret']
    assert capability.skill_names == ['bare', 'open', 'secret']


def test_an_async_predicate_and_one_that_returns_an_awaitable(library: Path) -> None:
    async def choose(ctx: RunContext[Any], info: SkillInfo) -> bool:
        await asyncio.sleep(0)
        return info.name == 'open'

    assert run(SkillsCapability(library, select=choose)).skills() == ['open']
    assert run(SkillsCapability(library, select=lambda ctx, info: choose(ctx, info))).skills() == ['open']


@pytest.mark.parametrize('require_loaded', [True, False])
def test_an_unselected_skill_is_unreachable_in_every_way(library: Path, require_loaded: bool) -> None:
    capability = SkillsCapability(library, select=by_tenant, require_loaded=require_loaded)
    steps = [
        load('secret'),
        load('open'),
        read('secret.md', 'secret'),
        script('secret.py', skill='secret'),
        read('../secret/secret.md', 'open'),
        read(str(library / 'secret/secret.md'), 'open'),
        script('../secret/scripts/secret.py', skill='open'),
    ]
    seen = run(capability, steps, agent={'deps_type': Tenant, 'retries': 9}, deps=Tenant(frozenset(['open'])))
    assert seen.skills() == ['open']
    assert 'SECRET' not in seen.everything
    assert 'secret ran' not in seen.everything
    # What names it is only what the model itself said; no list does.
    assert all(
        'secret' not in str(answer).replace("'secret'", '').replace('../secret/', '') for answer in seen.answers[2:4]
    )
    assert "There is no skill 'secret'. The skills are: open." in seen.answers[2]


def test_no_tool_is_offered_where_no_selected_skill_has_a_file(library: Path) -> None:
    capability = SkillsCapability(library, select=by_tenant)
    assert run(capability, **as_tenant('bare')).tools == [['load_capability']]
    nothing = run(capability, **as_tenant())
    assert (nothing.skills(), nothing.tools) == ([], [[]])
    assert run(capability, **as_tenant('open')).tools == [['load_capability', *PAIR]]


def test_tools_of_an_unselected_python_skill_do_not_exist(library: Path) -> None:
    def pay() -> str:
        return 'PAID'

    bank = Skill('bank', 'Pays.', 'Pay.', tools=[pay])
    capability = SkillsCapability(library, skills=[bank], select=by_tenant)
    allowed = run(capability, [load('bank'), [('pay', {})]], **as_tenant('bank'))
    assert allowed.last == 'PAID'
    refused = run(capability, [load('bank'), [('pay', {})]], **as_tenant('open'))
    assert 'PAID' not in refused.everything
    assert all('pay' not in tools for tools in refused.tools)
    history = allowed.result.all_messages()
    later = run(capability, [[('pay', {})]], **as_tenant('open', message_history=history))
    assert 'pay' not in later.tools[0]
    assert 'PAID' not in str(later.answers[-1])


def test_a_skill_that_was_loaded_before_and_is_not_selected_now(library: Path) -> None:
    capability = SkillsCapability(library, select=by_tenant)
    first = run(capability, [load('secret'), read('secret.md', 'secret')], **as_tenant('secret'))
    assert first.last == 'SECRET FILE'
    stored = ModelMessagesTypeAdapter.dump_json(first.result.all_messages())
    history = ModelMessagesTypeAdapter.validate_json(stored)
    steps = [read('secret.md', 'secret'), script('secret.py', skill='secret'), load('secret')]
    seen = run(capability, steps, **as_tenant('open', message_history=history))
    gone = "The skill 'secret' is not available any more, and neither are its files. Go on without it."
    assert seen.answers[-3:-1] == [gone, gone]
    # The stored conversation begins with the catalog of then; the one that takes its place comes after it.
    assert seen.everything.rpartition('<context id="capability:deferred_capabilities">')[2].count('\n- ') == 1
    assert '<context id="capability:secret">\nThis context has been withdrawn' in seen.everything


@pytest.mark.parametrize('kind', ['sync', 'async'])
def test_what_the_predicate_raises_ends_the_run(library: Path, kind: str) -> None:
    def fail(ctx: RunContext[Any], info: SkillInfo) -> bool:
        raise LookupError('the rights cannot be read')

    async def fail_later(ctx: RunContext[Any], info: SkillInfo) -> bool:
        raise LookupError('the rights cannot be read')

    with pytest.raises(LookupError, match='the rights cannot be read'):
        run(SkillsCapability(library, select=fail if kind == 'sync' else fail_later))


def test_what_is_no_function_is_refused(library: Path) -> None:
    wrong: Any = ['open']
    with pytest.raises(TypeError, match='select must be a function'):
        SkillsCapability(library, select=wrong)


def test_it_sees_the_context_and_all_that_is_known_of_a_skill(library: Path) -> None:
    (library / 'open/SKILL.md').write_text(skill_text('open', 'Is OPEN.', extra='metadata:\n  tier: "2"\n'))
    seen: list[tuple[str, str, Any, Path | None]] = []

    def choose(ctx: RunContext[str], info: SkillInfo) -> bool:
        seen.append((ctx.deps, info.description, dict(info.metadata), info.directory))
        return info.metadata.get('tier') == '2'

    assert run(SkillsCapability(library, select=choose), agent={'deps_type': str}, deps='alice').skills() == ['open']
    assert ('alice', 'Is OPEN.', {'tier': '2'}, library / 'open') in seen
    assert Counter(item[1] for item in seen).most_common(1)[0][1] == 1


def test_it_is_asked_once_a_skill_and_run(library: Path) -> None:
    asked: Counter[str] = Counter()

    def choose(ctx: RunContext[Any], info: SkillInfo) -> bool:
        asked[info.name] += 1
        return True

    capability = SkillsCapability(library, select=choose)
    run(capability, [load('open'), read('open.md', 'open'), script('open.py', skill='open'), load('bare')])
    assert asked == {'open': 1, 'secret': 1, 'bare': 1}
    run([capability, SkillsCapability(library, include=['bare'])])
    assert asked == {'open': 2, 'secret': 2, 'bare': 2}


def test_it_chooses_for_one_run_what_another_run_of_the_agent_does_not_have(library: Path) -> None:
    """The same agent, many tenants at once: nothing of a selection is kept anywhere but in its run."""
    seens = [Seen() for _ in range(40)]
    turn = iter(seens)
    agents: dict[str, Agent[Tenant, str]] = {}
    capability = SkillsCapability(library, select=by_tenant)

    async def one(number: int) -> None:
        name = 'open' if number % 2 else 'secret'
        seen = seens[number]
        other = 'secret' if number % 2 else 'open'
        steps = [load(name), read(f'{name}.md', name), read(f'{other}.md', other)]
        agent = agents.setdefault('agent', Agent(deps_type=Tenant, capabilities=[capability]))
        result = await agent.run('go', deps=Tenant(frozenset([name])), model=scripted(steps, seen))
        collect(seen, result.all_messages())
        assert seen.skills() == [name]
        assert seen.answers[1] == f'{name.upper()} FILE'
        assert seen.last == f"There is no skill '{other}'. The skills are: {name}."
        assert other.upper() not in seen.everything

    async def main() -> None:
        await asyncio.gather(*(one(number) for number in range(len(seens))))

    asyncio.run(main())
    assert next(turn).skills() == ['secret']


@pytest.mark.parametrize('where', ['prefixed', 'function', 'run', 'with another id', 'beside another'])
def test_in_every_arrangement(library: Path, tmp_path: Path, where: str) -> None:
    capability = SkillsCapability(library, select=by_tenant, id='mine' if where == 'with another id' else None)
    other = SkillsCapability(make_library(tmp_path / 'other', {'other/SKILL.md': skill_text('other')}))
    given: dict[str, tuple[list[Any], list[Any]]] = {
        'prefixed': ([PrefixTools(wrapped=capability, prefix='ns')], []),
        'function': ([lambda ctx: capability], []),
        'run': ([other], [capability]),
        'with another id': ([other], [capability]),
        'beside another': ([other, capability], []),
    }
    agent, added = given[where]
    tool = 'ns_read_skill_resource' if where == 'prefixed' else 'read_skill_resource'
    steps = [load('open'), read('open.md', 'open', tool=tool), read('secret.md', 'secret', tool=tool)]
    seen = run(agent, steps, **as_tenant('open', capabilities=added))
    with_other = where in ('with another id', 'beside another')
    assert seen.skills() == (['open', 'other'] if with_other else ['open'])
    assert seen.answers[1] == 'OPEN FILE'
    assert "There is no skill 'secret'" in seen.last
    assert 'SECRET' not in seen.everything


def test_the_selection_of_one_capability_leaves_the_other_alone(library: Path, tmp_path: Path) -> None:
    """Two have a skill of one name; where the later does not select it, the earlier one's exists."""
    files = {'open/SKILL.md': skill_text('open', 'The rival.'), 'open/open.md': 'RIVAL'}
    rival = make_library(tmp_path / 'rival', files)
    capabilities = [SkillsCapability(library, include=['open']), SkillsCapability(rival, select=by_tenant)]
    steps = [load('open'), read('open.md', 'open')]
    assert run(capabilities, steps, **as_tenant()).last == 'OPEN FILE'
    assert run(capabilities, steps, **as_tenant('open')).last == 'RIVAL'


def test_a_skill_that_a_wrapper_replaces_is_asked_for_too(library: Path) -> None:
    """Runs one after the other see what they select, although the agent was made once."""

    async def main() -> list[Seen]:
        capability = SkillsCapability(library, select=by_tenant)
        return [await arun(capability, **as_tenant(name)) for name in ('open', 'secret', 'open')]

    assert [seen.skills() for seen in asyncio.run(main())] == [['open'], ['secret'], ['open']]
