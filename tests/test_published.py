"""One package for each trouble that was measured in 94 published repositories: what the model sees, and the host.

Each test is a line of those figures: first the shape of packages, then how their bodies call scripts. Inline metadata
(PEP 723) needs uv and its cache, and is in `tests/executors/test_inline.py`.
"""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.workspaces import LocalWorkspaceBackend

from pydantic_ai_skills import LocalSkillsRegistry, SkillsCapability
from pydantic_ai_skills.executors import WorkspaceScriptExecutor

from .support import Seen, Step, load, make_library, read, run, script, skill_text

PNG = b'\x89PNG\r\n\x1a\n' + bytes(100)


def made(*args: Any, **options: Any) -> SkillsCapability[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return SkillsCapability(*args, **options)


def codes(capability: SkillsCapability[Any]) -> dict[str, list[str]]:
    """The codes of the diagnostics by the folder that they are about."""
    found: dict[str, list[str]] = {}
    for item in capability.diagnostics:
        found.setdefault(Path(item.path).parent.name, []).append(item.code)
    return found


def one(root: Path, raw: str | bytes, files: Mapping[str, str | bytes] | None = None, folder: str = 'demo') -> Path:
    """A library of one package."""
    return make_library(
        root, {f'{folder}/SKILL.md': raw, **{f'{folder}/{n}': text for n, text in (files or {}).items()}}
    )


def sees(capability: SkillsCapability[Any], name: str, description: str, body: str = 'Do it.') -> None:
    """Check that the model sees a skill in the catalog, and its instructions when it loads it."""
    seen = run(capability, [load(name)])
    assert f'\n- {name}: {description}\n' in seen.catalogs[0]
    assert f'# Skill: {name}\n\n{body}' in seen.everything


class TestPackages:
    @pytest.mark.parametrize(
        'value', ['Use it when: asked', 'Bills: "x", it\'s C:\\new # 1', '[beta] Tests: all', '{a} b']
    )
    def test_an_unquoted_colon(self, tmp_path: Path, value: str) -> None:
        capability = made(one(tmp_path, skill_text(description=value)))
        sees(capability, 'demo', value)
        assert codes(capability) == {'demo': ['value-quoted']}

    @pytest.mark.parametrize('name', ['acme-demo', 'Demo', 'Demo Skill', 'group/demo', 'demo_skill', 'x' * 70, 'démo!'])
    def test_a_name_that_is_not_the_folders_or_not_legal(self, tmp_path: Path, name: str) -> None:
        capability = made(one(tmp_path, skill_text(name)))
        sees(capability, 'demo', 'Shows things. Use it to show.')
        [found] = capability.diagnostics
        assert found.code == 'name-mended' and name in found.message and found.hint == 'Write `name: demo` there.'

    @pytest.mark.parametrize(
        ('folder', 'name', 'expected'),
        [('My Demo', 'My Demo', 'my-demo'), ('math_add', 'math_add', 'math-add'), ('twoFactor', 'otp', 'otp')],
    )
    def test_a_folder_that_is_no_legal_name(self, tmp_path: Path, folder: str, name: str, expected: str) -> None:
        capability = made(one(tmp_path, skill_text(name, body='In ${SKILL_DIR}.'), {'a.md': 'A'}, folder))
        sees(capability, expected, 'Shows things. Use it to show.', f'In {tmp_path / folder}.')
        assert run(capability, [load(expected), read('a.md', expected)]).last == 'A'
        assert codes(capability) == {folder: ['name-mended']}

    def test_many_and_large_files(self, tmp_path: Path) -> None:
        files: dict[str, str | bytes] = {f'references/{number:03}.md': f'Text {number}.' for number in range(854)}
        capability = made(one(tmp_path, skill_text(), {**files, 'big.md': 'A line of it.\n' * 9_000}))
        seen = run(capability, [load(), read('references/853.md'), read('big.md')])
        assert '- big.md (126 KB)\n' in seen.everything and '\n- and 805 more' in seen.everything
        assert seen.answers[1] == 'Text 853.'
        assert len(seen.last) < 51_000 and 'Go on with args={"offset": 3572}' in seen.last
        assert capability.diagnostics == ()

    def test_a_long_description_and_body(self, tmp_path: Path) -> None:
        capability = made(one(tmp_path, skill_text(description='word ' * 280, body='A line.\n' * 36_750)))
        sees(capability, 'demo', ('word ' * 280).strip(), 'A line.\n' * 36_749)
        [found] = capability.diagnostics
        assert (found.code, found.severity) == ('description-long', 'info')

    @pytest.mark.parametrize(
        ('file', 'raw', 'expected'),
        [
            ('SKILL.md', skill_text().replace('\n', '\r\n').encode(), []),
            ('SKILL.md', b'\xef\xbb\xbf' + skill_text().encode(), ['byte-order-mark']),
            ('skill.md', skill_text().encode(), ['case-mended']),
            ('SKILL.MD', b'\xef\xbb\xbf' + skill_text().replace('\n', '\r\n').encode(), ['case-mended', 'byte-order-mark']),
        ],
    )  # fmt: skip
    def test_line_ends_marks_and_other_cases(self, tmp_path: Path, file: str, raw: bytes, expected: list[str]) -> None:
        capability = made(make_library(tmp_path, {f'demo/{file}': raw, 'demo/a.md': 'A'}))
        sees(capability, 'demo', 'Shows things. Use it to show.')
        seen = run(capability, [load(), read(file)], agent={'retries': 2})
        assert '\r' not in seen.everything and '\ufeff' not in seen.everything and 'Shows things' not in seen.last
        assert codes(capability).get('demo', []) == expected
        assert [path.name for path in sorted((tmp_path / 'demo').iterdir())] == sorted([file, 'a.md'])

    def test_values_that_are_no_strings(self, tmp_path: Path) -> None:
        extra = 'version: 1.10\nlicense: 1.0\nmetadata:\n  on: yes\n  date: 2026-01-02\n  tags: [a, 1.10]\nallowed-tools: [Read]\n'
        capability = made(one(tmp_path, skill_text(extra=extra)))
        sees(capability, 'demo', 'Shows things. Use it to show.')
        [info] = capability.skills
        assert (info.license, dict(info.metadata)) == (
            '1.0',
            {'on': 'yes', 'date': '2026-01-02', 'tags': ['a', '1.10']},
        )
        [found] = capability.diagnostics
        assert (found.code, found.severity) == ('fields-ignored', 'info') and '`allowed-tools`' in found.message

    def test_packages_and_skill_files_that_are_links(self, tmp_path: Path) -> None:
        far = make_library(
            tmp_path / 'far',
            {'linked/SKILL.md': skill_text('linked'), 'linked/a.md': 'A', 'shared.md': skill_text('shared')},
        )
        library = make_library(
            tmp_path / 'lib', {'own/SKILL.md': skill_text('own'), 'shared/b.md': 'B', 'lost/c.md': 'C'}
        )
        (library / 'linked').symlink_to(far / 'linked')
        (library / 'shared/SKILL.md').symlink_to(far / 'shared.md')
        (library / 'lost/SKILL.md').symlink_to('../gone/SKILL.md')
        capability = made(library)
        assert capability.skill_names == ['linked', 'own', 'shared']
        seen = run(capability, [load('linked'), read('a.md', 'linked'), load('shared'), read('b.md', 'shared')])
        assert (seen.answers[1], seen.answers[3]) == ('A', 'B')
        [found] = capability.diagnostics
        assert (found.code, found.severity) == ('unreadable', 'error') and 'lost/SKILL.md' in found.message

    def test_skills_inside_skills_and_one_at_the_root(self, tmp_path: Path) -> None:
        files = {'SKILL.md': skill_text('root'), 'r.md': 'R', 'skills/outer/SKILL.md': skill_text('outer'), 'skills/outer/o.md': 'O',
                 'skills/outer/sub/inner/SKILL.md': skill_text('inner'), 'skills/outer/sub/inner/i.md': 'I'}  # fmt: skip
        top = make_library(tmp_path / 'repo', files)
        library = made(top / 'skills')
        assert library.skill_names == ['outer']
        assert [item.name for item in library.packages['outer'].resources] == ['o.md']
        tree = made(registries=[LocalSkillsRegistry(top, layout='tree')])
        assert tree.skill_names == ['inner', 'outer', 'repo']
        seen = run(tree, [load('inner'), read('i.md', 'inner'), load('outer'), read('sub/inner/SKILL.md', 'outer')])
        assert seen.answers[1] == 'I'
        assert (
            seen.last
            == "'sub/inner/SKILL.md' belongs to another skill, 'inner'. Call `load_capability` with id 'inner'."
        )
        with pytest.raises(ValueError, match='itself a skill package'):
            SkillsCapability(top)

    def test_several_libraries_in_one_repository(self, tmp_path: Path) -> None:
        places = ['skills', 'plugins/one/skills', 'plugins/two/skills', '.claude/skills']
        top = make_library(
            tmp_path, {f'{place}/s{number}/SKILL.md': skill_text(f's{number}') for number, place in enumerate(places)}
        )
        [found] = made(top).diagnostics
        assert found.hint is not None and str(top / 'skills') in found.hint
        assert made([top / place for place in places]).skill_names == ['s0', 's1', 's2', 's3']
        assert made(registries=[LocalSkillsRegistry(top, layout='tree')]).skill_names == ['s0', 's1', 's2', 's3']

    def test_placeholders(self, tmp_path: Path) -> None:
        body = (
            'Run `python ${SKILL_DIR}/a.py`, ${CLAUDE_SKILL_DIR}/b, {baseDir}/c or <skill-dir>/d on $ARGUMENTS.\n\n'
            '```sh\ncd $SKILL_DIR && $CLAUDE_SKILL_DIR/x $SKILL_DIRECTORY {skill_dir}/y\n```'
        )
        capability = made(one(tmp_path, skill_text(body=body), {'a.md': body}))
        here = tmp_path / 'demo'
        text = (
            f'Run `python {here}/a.py`, {here}/b, {here}/c or <skill-dir>/d on $ARGUMENTS.\n\n'
            f'```sh\ncd {here} && {here}/x $SKILL_DIRECTORY {here}/y\n```'
        )
        sees(capability, 'demo', 'Shows things. Use it to show.', text)
        assert capability.render('demo', 'it.txt').startswith(
            '# Skill: demo\n\n' + text.replace('$ARGUMENTS', 'it.txt')
        )
        assert run(capability, [load(), read('a.md')]).last == body  # files are verbatim

    def test_links_that_mean_the_linking_files_own_folder(self, tmp_path: Path) -> None:
        files = {
            'references/a.md': '[b](b.md#x)',
            'references/b.md': 'RB',
            'guides/b.md': 'GB',
            'guides/deep/c.md': 'C',
        }
        capability = made(one(tmp_path, skill_text(), files), max_retries=5)
        said: list[Step] = [
            read('b.md#x', args={'from': 'references/a.md'}),
            read('../guides/deep/c.md', args={'from': 'references/a.md'}),
            read('deep/c.md'),
            read('b.md'),
        ]
        answers = run(capability, [load(), *said]).answers[1:]
        assert answers[:3] == ['RB', 'C', 'C']
        assert answers[3].startswith("'b.md' could be guides/b.md, references/b.md.") and '"from"' in answers[3]

    def test_links_to_another_skill(self, tmp_path: Path) -> None:
        files = {
            'demo/SKILL.md': skill_text(),
            'demo/a.md': 'A',
            'other/SKILL.md': skill_text('other'),
            'other/b.md': 'B',
        }
        seen = run(
            made(make_library(tmp_path, files)),
            [load(), read('../other/SKILL.md'), load('other'), read('b.md', 'other')],
        )
        assert (
            seen.answers[1]
            == "'../other/SKILL.md' belongs to another skill, 'other'. Call `load_capability` with id 'other'."
        )
        assert seen.last == 'B'

    def test_binary_files(self, tmp_path: Path) -> None:
        binary = {
            'a.png': PNG,
            'f.ttf': b'\0\1\0\0' + bytes(9),
            'd.gz': b'\x1f\x8b\x08' + bytes(9),
            'p.pdf': b'%PDF-1.7\n\xff\0',
        }
        capability = made(one(tmp_path, skill_text(), binary))
        seen = run(capability, [load(), *(read(name) for name in binary)])
        assert 'Assets (not text):\n- a.png (image/png)\n- d.gz (' in seen.everything
        assert '- f.ttf (font/' in seen.everything and '- p.pdf (application/pdf)\n' in seen.everything
        assert all('is a binary file' in answer for answer in seen.answers[1:])

    def test_what_cannot_be_mended_takes_nothing_else_down(self, tmp_path: Path) -> None:
        broken: dict[str, str | bytes] = {
            'plain': '# Title\n', 'empty': '', 'open': '---\nname: open\n', 'bare': '---\nname: bare\n---\n',
            'latin': skill_text('latin', 'caf\xe9').encode('latin-1'), 'wide': skill_text('wide').encode('utf-16'),
        }  # fmt: skip
        capability = made(
            make_library(
                tmp_path, {**{f'{n}/SKILL.md': raw for n, raw in broken.items()}, 'good/SKILL.md': skill_text('good')}
            )
        )
        assert capability.skill_names == ['good']
        assert codes(capability) == {
            'bare': ['no-description'], 'empty': ['no-frontmatter'], 'latin': ['not-utf8'], 'open': ['frontmatter-unclosed'],
            'plain': ['no-frontmatter'], 'wide': ['not-utf8'],
        }  # fmt: skip
        assert all(item.severity == 'error' and item.hint for item in capability.diagnostics)


ECHO = 'import sys\nprint(sys.argv[1:])\n'


class TestScripts:
    def runs(
        self, tmp_path: Path, files: Mapping[str, str], *steps: Step, modes: Mapping[str, int] | None = None
    ) -> Seen:
        library = one(tmp_path, skill_text(), files)
        for name, mode in (modes or {}).items():
            (library / 'demo' / name).chmod(mode)
        return run(made(library), [load(), *steps])

    @pytest.mark.parametrize(
        ('args', 'argv'),
        [
            (['in.pdf', 'out dir/', '--pages', 2], ['in.pdf', 'out dir/', '--pages', '2']),
            ({'pages': 2, 'all': True, 'quiet': False, 'name': 'a b'}, ['--pages', '2', '--all', '--name', 'a b']),
            (['in.pdf'], ['in.pdf']),
            (None, []),
            (['merge', 'a', 'b'], ['merge', 'a', 'b']),
            ({'p': 3}, ['-p', '3']),
            (['--server', 'A', '--port', '1', '--server', 'B', '--port', '2', '--', 'python', 'x.py'],
             ['--server', 'A', '--port', '1', '--server', 'B', '--port', '2', '--', 'python', 'x.py']),
            (['--files', 'a', 'b'], ['--files', 'a', 'b']),
        ],
    )  # fmt: skip
    def test_arguments(self, tmp_path: Path, args: Any, argv: list[str]) -> None:
        assert self.runs(tmp_path, {'scripts/x.py': ECHO}, script('scripts/x.py', args)).last == str(argv)

    def test_stdin(self, tmp_path: Path) -> None:
        files = {'scripts/x.py': 'import sys\nprint(sys.stdin.read().upper())\n'}
        assert self.runs(tmp_path, files, script('scripts/x.py', stdin='text')).last == 'TEXT'

    def test_runners(self, tmp_path: Path) -> None:
        files = {
            'scripts/a.py': 'print("python")',
            'scripts/b.sh': 'echo sh',
            'scripts/c.bash': 'echo bash',
            'scripts/d': '#!/bin/sh\necho itself\n',
        }
        names = {'scripts/a.py': 'python', 'scripts/b.sh': 'sh', 'scripts/c.bash': 'bash', 'scripts/d': 'itself'}
        if shutil.which('node'):
            files['scripts/e.mjs'] = 'console.log("node")'
            names['scripts/e.mjs'] = 'node'
        # The execute bit is set on a fifth of the Python files, and it changes nothing.
        seen = self.runs(tmp_path, files, *map(script, names), modes={'scripts/a.py': 0o644, 'scripts/b.sh': 0o755})
        assert seen.answers[1:] == list(names.values())

    def test_from_the_skills_root_with_its_modules(self, tmp_path: Path) -> None:
        files = {
            'scripts/__init__.py': '', 'scripts/utils.py': 'X = "module"', 'scripts/run.py': 'from scripts.utils import X\nprint(X)',
            'scripts/beside.py': 'import os\nfrom utils import X\nprint(X, sorted(os.listdir(".")))',
        }  # fmt: skip
        seen = self.runs(tmp_path, files, script('scripts/run.py'), script('scripts/beside.py'))
        assert seen.answers[1] == 'module' and seen.last.startswith("module ['SKILL.md', 'scripts']")

    def test_scripts_in_other_folders(self, tmp_path: Path) -> None:
        files = {
            'scripts/office/unpack.py': ECHO,
            'tools/go.sh': 'echo went $1',
            'root.py': ECHO,
            'lib/x.js': 'console.log("x")',
        }
        steps = [
            script('scripts/office/unpack.py', ['a']),
            script('tools/go.sh', ['far']),
            script('root.py'),
            read('tools/go.sh'),
        ]
        seen = self.runs(tmp_path, files, *steps)
        assert seen.answers[1:] == ["['a']", 'went far', '[]', 'echo went $1']

    def test_by_the_path_that_the_instructions_give(self, tmp_path: Path) -> None:
        """In whatever place scripts run: what the placeholder became is what the model hands back."""
        library = one(
            tmp_path / 'lib', skill_text(body='Run `${SKILL_DIR}/scripts/x.py`.'), {'scripts/x.py': ECHO, 'a.md': 'A'}
        )
        (tmp_path / 'work').mkdir()
        for executor in (None, WorkspaceScriptExecutor(LocalWorkspaceBackend(tmp_path / 'work'))):
            capability = made(library, script_executor=executor)
            [path] = re.findall('Run `(.*)/scripts/x.py`', run(capability, [load()]).everything)
            seen = run(
                capability,
                [load(), script(f'{path}/scripts/x.py', ['a']), read(f'{path}/a.md'), read(f'{path}/scripts/x.py')],
            )
            assert seen.answers[1:] == ["['a']", 'A', ECHO]
            assert ('.skills/demo-' in path) is (executor is not None)
