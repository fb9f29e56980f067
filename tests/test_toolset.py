"""The two tools: by themselves, their mistakes and ways out, and files that changed or were swapped after indexing."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.models.function import FunctionModel

from pydantic_ai_skills import LocalSkillScriptExecutor, SkillFilesToolset, SkillPackage, SkillsCapability
from pydantic_ai_skills.packages import index_libraries
from pydantic_ai_skills.toolset import DEFAULT_TOOLSET_ID

from .support import Seen, arun, collect, load, make_library, read, run, script, scripted, skill_text

FILES: dict[str, str | bytes] = {
    'demo/SKILL.md': skill_text(),
    'demo/a.md': 'ALPHA',
    'demo/data.json': '{"b": 1,\n "a": [1, 2 ]}\n',
    'demo/crlf.txt': b'\xef\xbb\xbfone\r\ntwo\r\n',
    'demo/logo.png': b'\x89PNG\0',
    'demo/deep/same.md': 'one',
    'demo/other/same.md': 'two',
    'demo/scripts/x.py': 'import sys\nprint("x", *sys.argv[1:], *sys.stdin)\n',
    'demo/tools/y.py': 'print("y ran")',
    'two/SKILL.md': skill_text('two'),
    'two/b.md': 'BETA',
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(tmp_path / 'lib', FILES)


def use(toolset: SkillFilesToolset, steps: Any, **options: Any) -> Seen:
    """Run an agent that has nothing but this toolset."""
    seen = Seen()
    agent = Agent(scripted(steps, seen), toolsets=[toolset], retries=9, **options)
    seen.result = asyncio.run(agent.run('go'))
    collect(seen, seen.result.all_messages())
    return seen


class TestByItself:
    def test_with_an_index(self, library: Path) -> None:
        toolset = SkillFilesToolset(index_libraries(library), require_loaded=False)
        seen = use(toolset, [read('a.md'), read('b.md', 'two'), script('x.py', ['1'], stdin='in'), script('y')])
        assert seen.tools[0] == ['read_skill_resource', 'run_skill_script']
        assert seen.answers == ['ALPHA', 'BETA', 'x 1 in', 'y ran']

    def test_shut_until_loaded_unless_told_otherwise(self, library: Path) -> None:
        seen = use(SkillFilesToolset(index_libraries(library)), [read('a.md'), read('a.md', 'nope')])
        assert "The skill 'demo' is not loaded" in seen.answers[0]
        assert seen.answers[1] == "There is no skill 'nope'. The skills are: demo, two."

    def test_beside_a_capability_that_loads(self, library: Path) -> None:
        from pydantic_ai.workspaces import LocalWorkspaceBackend
        from pydantic_ai_harness.skills import Skills

        toolset = SkillFilesToolset(index_libraries(library))
        theirs: Any = Skills(library, workspace=LocalWorkspaceBackend(library))
        seen = run(theirs, [read('a.md'), load(), read('a.md')], agent={'toolsets': [toolset], 'retries': 3})
        assert ('not loaded' in seen.answers[0], seen.last) == (True, 'ALPHA')

    @pytest.mark.parametrize(('resources', 'scripts'), [(True, False), (False, True), (False, False)])
    def test_only_what_is_asked_for(self, library: Path, resources: bool, scripts: bool) -> None:
        toolset = SkillFilesToolset(index_libraries(library), resources=resources, scripts=scripts)
        wanted = [name for name, on in [('read_skill_resource', resources), ('run_skill_script', scripts)] if on]
        assert use(toolset, []).tools == [wanted]

    def test_nothing_to_offer(self, library: Path) -> None:
        assert use(SkillFilesToolset({}), []).tools == [[]]
        assert use(SkillFilesToolset({'two': index_libraries(library)['two']}), []).tools == [['read_skill_resource']]

    def test_its_id(self, library: Path) -> None:
        assert SkillFilesToolset({}).id == DEFAULT_TOOLSET_ID == 'agent_skills'
        assert SkillFilesToolset({}, id='mine').id == 'mine'

    def test_max_retries(self, library: Path) -> None:
        from pydantic_ai.exceptions import UnexpectedModelBehavior

        packages = index_libraries(library)
        steps = [read('no'), read('no'), read('a.md')]
        assert use(SkillFilesToolset(packages, require_loaded=False, max_retries=2), steps).last == 'ALPHA'
        with pytest.raises(UnexpectedModelBehavior):
            use(SkillFilesToolset(packages, require_loaded=False, max_retries=1), steps)

    @pytest.mark.parametrize('wrong', [None, [], ['demo'], 'demo', Path('x')])
    def test_packages_of_a_wrong_type(self, wrong: Any) -> None:
        with pytest.raises(TypeError, match='packages must map skill names to packages, as index_libraries gives them'):
            SkillFilesToolset(wrong)

    def test_a_lazy_mapping_stays_lazy(self, library: Path) -> None:
        packages = index_libraries(library)
        looked: list[str] = []

        class Lazy(Mapping[str, SkillPackage]):
            def __getitem__(self, name: str) -> SkillPackage:
                looked.append(name)
                assert threading.current_thread() is not threading.main_thread(), 'not on the event loop'
                return packages[name]

            def __iter__(self) -> Iterator[str]:
                return iter(packages)

            def __len__(self) -> int:
                return len(packages)

            def __contains__(self, name: object) -> bool:
                return name in packages

        toolset = SkillFilesToolset(Lazy(), require_loaded=False)
        assert looked == []
        assert use(toolset, [read('a.md')]).last == 'ALPHA'
        assert set(looked) == {'demo'}

    def test_the_toolset_of_a_capability(self, library: Path) -> None:
        toolset = SkillsCapability(library, exclude=['two'], require_loaded=False).get_toolset()
        assert toolset is not None
        seen = use(toolset, [read('a.md'), script('x.py'), read('b.md', 'two')])
        assert seen.answers[:2] == ['ALPHA', 'x']
        assert seen.last == "There is no skill 'two'. The skills are: demo."

    def test_the_toolset_of_a_capability_asks_for_approval_too(self, library: Path) -> None:
        made = SkillsCapability(library, require_loaded=False, approval='scripts')
        for toolset, answer in [(made.get_toolset(), 'needs the approval of a person'), (None, '')]:
            if toolset is None:
                break
            assert answer in use(toolset, [script('x.py')]).last
        toolset = made.get_toolset()
        assert toolset is not None
        seen = use(toolset, [script('x.py', ['1'])], output_type=[str, DeferredToolRequests])
        requests = seen.result.output
        assert isinstance(requests, DeferredToolRequests)
        [call] = requests.approvals
        agent = Agent(scripted([], seen), toolsets=[toolset], output_type=[str, DeferredToolRequests])
        results = requests.build_results(approve_all=True)
        done = asyncio.run(agent.run(message_history=seen.result.all_messages(), deferred_tool_results=results))
        collect(seen, done.all_messages())
        assert (call.tool_name, seen.last) == ('run_skill_script', 'x 1')


class TestReading:
    @pytest.mark.parametrize('name', ['a.md', 'data.json', 'crlf.txt', 'scripts/x.py', 'tools/y.py'])
    def test_text_is_verbatim(self, library: Path, name: str) -> None:
        seen = run(SkillsCapability(library), [load(), read(name)])
        assert seen.last == (library / 'demo' / name).read_bytes().decode()

    def test_an_asset_is_described(self, library: Path) -> None:
        seen = run(SkillsCapability(library), [load(), read('logo.png')])
        path = os.path.realpath(library / 'demo/logo.png')
        assert seen.last == f'logo.png is a binary file (image/png, 5 bytes) at {path}. It cannot be shown as text.'

    def test_pages(self, library: Path) -> None:
        make_library(library, {'demo/long.txt': ''.join(f'row {number:07d}\n' for number in range(1, 30_001))})
        steps = [
            load(),
            read('long.txt'),
            read('long.txt', args={'offset': 4168}),
            read('long.txt', args='{"offset": 30000, "limit": 5}'),
        ]
        seen = run(SkillsCapability(library), steps)
        assert (
            seen.answers[1].startswith('row 0000001\n')
            and '"offset": 4167' in seen.answers[1]
            and len(seen.answers[1]) < 50_200
        )
        assert seen.answers[2].startswith('row 0004168\n') and seen.last == 'row 0030000\n'

    @pytest.mark.parametrize(
        'args', [{'offset': 'soon'}, {'offset': 0}, {'lines': 3}, 'soon', '[1]', {'offset': 10**400}]
    )
    def test_wrong_arguments_have_a_way_out(self, library: Path, args: Any) -> None:
        seen = run(SkillsCapability(library), [load(), read('a.md', args=args), read('a.md')], agent={'retries': 2})
        assert (
            'must be' in seen.answers[1] or 'only `offset`' in seen.answers[1] or 'nothing from line' in seen.answers[1]
        )
        assert seen.last == 'ALPHA'

    def test_a_list_is_a_mistake(self, library: Path) -> None:
        seen = run(SkillsCapability(library), [load(), read('a.md', args=[1]), read('a.md')])
        assert (seen.answers[1] == 'ALPHA', seen.last) == (False, 'ALPHA')

    def test_empty_arguments_are_none(self, library: Path) -> None:
        seen = run(
            SkillsCapability(library),
            [load(), read('a.md', args=''), read('a.md', args='null'), read('a.md', args={}), read('a.md', args='{}')],
        )
        assert seen.answers[1:] == ['ALPHA'] * 4


class TestMistakes:
    def answers(self, library: Path, *steps: Any, **options: Any) -> list[str]:
        return run(SkillsCapability(library, **options), [load(), *steps], agent={'retries': 9}).answers[1:]

    def test_an_unknown_skill(self, library: Path) -> None:
        [answer] = self.answers(library, read('a.md', 'dmeo'))
        assert answer == "There is no skill 'dmeo'. The skills are: demo, two."

    def test_what_a_model_sent_is_not_said_back_whole(self, library: Path) -> None:
        answers = self.answers(
            library,
            read('x' * 9000),
            read('a.md', 'y' * 9000),
            read('a.md', args={'z' * 9000: 1}),
            read('a.md', args='w' * 9000),
        )
        assert all('8,800 characters more' in answer and len(answer) < 600 for answer in answers)

    def test_spellings_of_a_skill(self, library: Path) -> None:
        assert self.answers(library, read('a.md', ' demo\n'), read('a.md', 'ｄｅｍｏ')) == ['ALPHA', 'ALPHA']

    def test_an_unknown_file(self, library: Path) -> None:
        assert self.answers(library, read('nope.md'), script('nope.py'), read('b.md', 'two'), read('../two/b.md'), read('SKILL.md')) == [
            "The skill 'demo' has no file 'nope.md'. It has: a.md, crlf.txt, data.json, deep/same.md, logo.png, other/same.md, tools/y.py.",
            "The skill 'demo' has no script 'nope.py'. It has: scripts/x.py.",
            "The skill 'two' is not loaded, so its files are shut. Call `load_capability` with id 'two', then repeat this call.",
            "'../two/b.md' belongs to another skill, 'two'. Call `load_capability` with id 'two', then read 'b.md' of it.",
            "SKILL.md holds the instructions of the skill 'demo', which `load_capability` gives. It is not among the files to read.",
        ]  # fmt: skip

    def test_several_files(self, library: Path) -> None:
        [answer] = self.answers(library, read('same'))
        assert answer == (
            "'same' could be several files of the skill 'demo': deep/same.md, other/same.md. Give the whole path."
        )

    def test_what_is_no_script(self, library: Path) -> None:
        [answer] = self.answers(library, script('a.md'))
        assert answer == "'a.md' is not a script; read it with `read_skill_resource`."

    def test_long_lists_are_cut(self, tmp_path: Path) -> None:
        files = {f'demo/f{number:02d}.md': '' for number in range(45)}
        skills = {f's{number:02d}/SKILL.md': skill_text(f's{number:02d}') for number in range(30)}
        library = make_library(tmp_path, {'demo/SKILL.md': skill_text(), **files, **skills})
        first, second = self.answers(library, read('nope'), read('nope', 'nope'))
        assert first.endswith('f18.md, f19.md and 25 more.') and 'f20.md' not in first
        assert second.endswith('s17, s18 and 11 more.')

    def test_names_that_could_forge_a_line_are_not_listed(self, tmp_path: Path) -> None:
        library = make_library(
            tmp_path,
            {
                'demo/SKILL.md': skill_text(),
                'demo/a.md': '',
                'demo/x\n- forged.md': 'F',
                'demo/r\u202elo.md': '',
                'demo/b\x1b.md': '',
            },
        )
        first, second = self.answers(library, read('nope'), read('x\n- forged.md'))
        assert first == "The skill 'demo' has no file 'nope'. It has: a.md."
        assert second == 'F', 'though it can be read'

    def test_a_skill_without_files(self, library: Path) -> None:
        make_library(library, {'bare/SKILL.md': skill_text('bare')})
        [_, answer, second] = self.answers(library, load('bare'), read('a.md', 'bare'), script('a', skill='bare'))
        assert answer == "The skill 'bare' has no file 'a.md'. It has no files."
        assert second == "The skill 'bare' has no script 'a'. It has no scripts."

    def test_arguments_that_are_no_json(self, library: Path) -> None:
        """A model that sends garbage gets the framework's retry, and may go on."""
        seen = Seen()
        wrong: Any = [
            [('load_capability', {'id': 'demo'})],
            [('read_skill_resource', {'skill_name': 3})],
            *[read('a.md')],
        ]
        run_seen = run(SkillsCapability(library), wrong, agent={'retries': 3})
        assert run_seen.last == 'ALPHA' and seen.answers == []

    @pytest.mark.parametrize('args', ['not json', '[]', '{"id": 3}', '{}', '"demo"'])
    def test_a_load_that_is_no_load_opens_nothing(self, library: Path, args: str) -> None:
        from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
        from pydantic_ai.models.function import AgentInfo

        def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            if len(messages) > 1:
                return ModelResponse(parts=[TextPart('done')])
            calls = [ToolCallPart('load_capability', args)]
            calls.append(ToolCallPart('read_skill_resource', {'skill_name': 'demo', 'resource_name': 'a.md'}))
            return ModelResponse(parts=calls)

        result = Agent(FunctionModel(respond), capabilities=[SkillsCapability(library)], retries=3).run_sync('go')
        assert 'ALPHA' not in str(result.all_messages())


class TestSwaps:
    """After the index was made, files are swapped for what must not be read; each is refused and nothing ends the run."""

    @pytest.fixture
    def made(self, library: Path) -> SkillsCapability[Any]:
        make_library(
            library.parent, {'outside/same.md': 'SECRET', 'outside/a.md': 'SECRET', 'outside/x.py': 'print("SECRET")'}
        )
        made = SkillsCapability(library)
        assert made.packages['demo'].scripts
        return made

    def check(self, made: SkillsCapability[Any], *steps: Any) -> None:
        seen = run(made, [load(), *steps], agent={'retries': 9})
        assert 'SECRET' not in seen.everything and seen.result.output == 'done'
        for answer in seen.answers[1:]:
            assert 'cannot be read any more' in answer or 'was not run' in answer

    def test_links(self, made: SkillsCapability[Any], library: Path) -> None:
        for name in ['a.md', 'scripts/x.py']:
            (library / 'demo' / name).unlink()
            (library / 'demo' / name).symlink_to(library.parent / 'outside' / Path(name).name)
        self.check(made, read('a.md'), script('x.py'), read('scripts/x.py'))

    def test_folders(self, made: SkillsCapability[Any], library: Path) -> None:
        for name in ['deep', 'scripts']:
            (library / 'demo' / name).rename(library / f'{name}-before')
            (library / 'demo' / name).symlink_to(library.parent / 'outside')
        self.check(made, read('deep/same.md'), script('x.py'), read('scripts/x.py'))

    def test_the_package_itself(self, made: SkillsCapability[Any], library: Path) -> None:
        (library / 'demo').rename(library / 'before')
        (library / 'demo').symlink_to(library.parent / 'outside')
        (library.parent / 'outside/deep').symlink_to('.')
        self.check(made, read('deep/same.md'), read('a.md'))

    def test_fifos_and_devices(self, made: SkillsCapability[Any], library: Path) -> None:
        for name in ['a.md', 'scripts/x.py']:
            (library / 'demo' / name).unlink()
            os.mkfifo(library / 'demo' / name)
        (library / 'demo/data.json').unlink()
        (library / 'demo/data.json').symlink_to('/dev/zero')
        self.check(made, read('a.md'), read('scripts/x.py'), script('x.py'), read('data.json'))

    def test_gone(self, made: SkillsCapability[Any], library: Path) -> None:
        for name in ['a.md', 'scripts/x.py']:
            (library / 'demo' / name).unlink()
        self.check(made, read('a.md'), script('x.py'))

    def test_a_folder_in_place_of_a_file(self, made: SkillsCapability[Any], library: Path) -> None:
        (library / 'demo/a.md').unlink()
        make_library(library, {'demo/a.md/inner': 'SECRET'})
        self.check(made, read('a.md'))

    def test_a_registrys_link_within_its_library(self, library: Path) -> None:
        """In a registry's library a link may lead to another folder of it, but not out of it later on."""
        from pydantic_ai_skills import SkillRegistry

        class Fixed(SkillRegistry):
            def sync(self) -> Path:
                return library

        make_library(library.parent, {'outside/a.md': 'SECRET'})
        make_library(library, {'shared/t.md': 'SHARED'})
        (library / 'demo/shared.md').symlink_to('../shared/t.md')
        made = SkillsCapability(registries=[Fixed()], script_executor=LocalSkillScriptExecutor())
        assert run(made, [load(), read('shared.md')]).last == 'SHARED'
        (library / 'shared/t.md').unlink()
        (library / 'shared/t.md').symlink_to('../../outside/a.md')
        self.check(made, read('shared.md'))


def test_a_slow_disk_does_not_block_the_event_loop(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading and indexing wait in a thread: the loop goes on, and lets them go on."""
    from pydantic_ai_skills import members, packages

    gate = threading.Event()
    entered: list[str] = []
    reading, indexing = members.read_text, packages.index_files

    def slow(*args: Any) -> Any:
        entered.append('read')
        assert gate.wait(30)
        return reading(*args)

    def slow_index(*args: Any) -> Any:
        entered.append('index')
        assert threading.current_thread() is not threading.main_thread()
        return indexing(*args)

    monkeypatch.setattr(members, 'read_text', slow)
    monkeypatch.setattr(packages, 'index_files', slow_index)

    async def main() -> Seen:
        made = SkillsCapability(library, require_loaded=False)
        task = asyncio.create_task(arun(made, [read('a.md')]))
        while 'read' not in entered:
            await asyncio.sleep(0)
        gate.set()
        return await task

    assert asyncio.run(main()).last == 'ALPHA'
    assert entered == ['index', 'read']


def test_what_is_offered_is_looked_up_off_the_event_loop(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pydantic_ai_skills.assemble as assemble

    threads: list[bool] = []
    kinds = assemble.file_kinds

    def look(*args: Any) -> Any:
        threads.append(threading.current_thread() is threading.main_thread())
        return kinds(*args)

    monkeypatch.setattr(assemble, 'file_kinds', look)
    make_library(
        library, {f's{number}/{name}': skill_text(f's{number}') for number in range(5) for name in ['SKILL.md', 'b.md']}
    )
    made = SkillsCapability(library, exclude=['demo'])
    agent = Agent(scripted([], Seen()), capabilities=[made])
    before = len(threads)
    asyncio.run(agent.run('go'))
    assert len(threads) > before and not any(threads[before:])
    after = len(threads)
    asyncio.run(agent.run('go'))
    assert len(threads) == after, 'once a skill'


def test_run_cost_does_not_touch_the_disk_again(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pydantic_ai_skills import index

    made = SkillsCapability(library)
    steps = [load(), read('a.md')]
    run(made, steps)
    scans: list[Any] = []
    scan = os.scandir
    monkeypatch.setattr(index.os, 'scandir', lambda path: scans.append(path) or scan(path))
    assert run(made, steps).last == 'ALPHA'
    assert scans == []


def test_a_link_by_the_file_that_has_it(tmp_path: Path) -> None:
    """In any spelling that the model may have of that file, and of a link that begins with the skill's own folder."""
    files = {'a.md': 'A', 'references/a.md': 'RA', 'references/b.md': 'RB', 'guides/b.md': 'GB', 'guides/only.md': 'O'}
    library = make_library(
        tmp_path, {'demo/SKILL.md': skill_text(), **{f'demo/{n}': text for n, text in files.items()}}
    )
    capability = SkillsCapability(library, max_retries=9)
    origins = [
        'references/a.md', './references/a.md', 'references/a', '${SKILL_DIR}/references/a.md', '../demo/references/a.md',
        str(library / 'demo/references/a.md'), 'references', 'references/', 'references\\a.md', 'references/gone.md',
    ]  # fmt: skip
    seen = run(capability, [load(), *(read('b.md', args={'from': origin}) for origin in origins)])
    assert seen.answers[1:] == ['RB'] * len(origins)
    names = [
        '${SKILL_DIR}/guides/b.md#x',
        f'{library}/demo/guides/b.md?x',
        '{baseDir}/guides/b.md#x',
        '../demo/guides/b.md#x',
    ]
    seen = run(capability, [load(), *(read(name, args={'from': 'references/a.md'}) for name in names)])
    assert seen.answers[1:] == ['GB'] * len(names)
    asks = [{'from': 'only.md'}, {'from': None}, {'from': ''}, {'from': 'b.md'}, {'from': 3}]
    seen = run(capability, [load(), *(read('b.md', args=args) for args in asks)])
    assert seen.answers[1:] == [
        'GB',
        "'b.md' could be guides/b.md, references/b.md. Give the whole name, or args={\"from\": file} with the file that has the link.",
        "'b.md' could be guides/b.md, references/b.md. Give the whole name, or args={\"from\": file} with the file that has the link.",
        '`from` could be several files: guides/b.md, references/b.md. Give the whole path of the one with the link.',
        '`from` must be the name of the file that has the link, not 3.',
    ]  # fmt: skip
