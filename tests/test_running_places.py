"""What an agent sees of the executors: placeholders that mean a workspace, routing by origin, files that come back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import BinaryContent
from pydantic_ai.capabilities import LocalWorkspace

from pydantic_ai_skills import (
    CallableSkillScriptExecutor,
    LocalSkillScriptExecutor,
    LocalSkillsRegistry,
    SkillsCapability,
    WorkspaceScriptExecutor,
)

from .support import load, make_library, read, run, script, skill_text

PNG = bytes.fromhex(
    '89504e470d0a1a0a0000000d4948445200000001000000010806000000'
    '1f15c4890000000d49444154789c626001000000ffff03000006000557bfabd40000000049454e44ae426082'
)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(
        tmp_path / 'library',
        {
            'demo/SKILL.md': skill_text(body='Run `python ${SKILL_DIR}/scripts/where.py IN`.'),
            'demo/dot.png': PNG,
            'demo/scripts/where.py': 'import os, sys\nprint(os.getcwd(), os.environ["SKILL_DIR"], open(sys.argv[1]).read())\n',
            'demo/scripts/draw.py': (
                'import os, pathlib, shutil\nout = pathlib.Path(os.environ["SKILL_OUTPUT_DIR"])\n'
                '(out / "note.txt").write_text("NOTE")\n'
                'shutil.copy(os.path.join(os.environ["SKILL_DIR"], "dot.png"), out / "dot.png")\n'
            ),
        },
    )


def test_placeholders_mean_the_staged_folder_of_the_runs_workspace(library: Path, tmp_path: Path) -> None:
    work = make_library(tmp_path / 'work', {'in.txt': 'the agent own file'})
    capability = SkillsCapability(library, script_executor=WorkspaceScriptExecutor())
    seen = run([capability, LocalWorkspace(work)], [load(), script('where.py', ['in.txt'])])
    staged = re.search(r'python (\S+)/scripts/where\.py IN', seen.everything)
    assert staged is not None
    assert Path(staged[1]).parent == work.resolve() / '.skills'
    assert Path(staged[1], 'scripts/where.py').is_file()
    assert seen.last == f'{work.resolve()} {staged[1]} the agent own file'


def test_without_a_workspace_the_instructions_load_and_a_script_is_answered(library: Path) -> None:
    seen = run(
        SkillsCapability(library, script_executor=WorkspaceScriptExecutor()), [load(), script('where.py', ['x'])]
    )
    assert f'{library.resolve()}/demo/scripts/where.py IN' in seen.everything
    assert 'workspace' in seen.last


def test_scripts_go_to_the_executor_of_their_origin(library: Path) -> None:
    def elsewhere(script: Any, args: Any) -> str:
        return f'remote {script.origin}'

    class Remote(LocalSkillsRegistry):
        origin = 'remote'

    choice: Any = {'local': LocalSkillScriptExecutor(), 'remote': CallableSkillScriptExecutor(elsewhere)}
    far = SkillsCapability(registries=[Remote(library)], script_executor=choice)
    assert run(far, [load(), script('where.py')]).last == 'remote remote'
    assert 'note.txt' not in run(SkillsCapability(library, script_executor=choice), [load(), script('draw.py')]).last


def test_a_wrong_choice_of_executors_is_named(library: Path) -> None:
    wrong: Any = {'elsewhere': LocalSkillScriptExecutor()}
    with pytest.raises(ValueError, match='elsewhere'):
        SkillsCapability(library, script_executor=wrong)


@pytest.mark.parametrize(('mode', 'attached'), [('describe', 0), ('attach', 1)])
def test_files_that_a_script_leaves_come_back(library: Path, mode: Any, attached: int) -> None:
    executor = LocalSkillScriptExecutor(collect_outputs=True)
    capability = SkillsCapability(library, script_executor=executor, binary_resources=mode)
    answer = run(capability, [load(), script('draw.py')]).answers[-1]
    parts = answer if isinstance(answer, list) else [answer]
    assert [part.data for part in parts if isinstance(part, BinaryContent)] == [PNG] * attached
    assert 'NOTE' in parts[0]
    assert 'dot.png (image/png' in parts[0]


@pytest.mark.parametrize(('mode', 'attached'), [('describe', 0), ('attach', 1)])
def test_an_image_is_attached_only_where_that_is_asked_for(library: Path, mode: Any, attached: int) -> None:
    answer = run(SkillsCapability(library, binary_resources=mode), [load(), read('dot.png')]).answers[-1]
    parts = answer if isinstance(answer, list) else [answer]
    assert [part.data for part in parts if isinstance(part, BinaryContent)] == [PNG] * attached
    assert parts[0].startswith('dot.png ')
    assert f'{len(PNG)} bytes' in parts[0]


def test_the_list_of_files_says_what_a_script_wants(tmp_path: Path) -> None:
    text = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("file")\np.add_argument("--sheet")\np.parse_args()\n'
    files = {
        'demo/SKILL.md': skill_text(),
        'demo/scripts/recalc.py': text,
        'demo/scripts/go.sh': '#!/bin/sh\n# Starts it all.\n',
    }
    seen = run(SkillsCapability(make_library(tmp_path, files)), [load()])
    assert '- scripts/recalc.py FILE [--sheet SHEET]' in seen.everything
    assert '- scripts/go.sh: Starts it all.' in seen.everything


def test_a_link_is_read_as_the_file_that_has_it_means_it(tmp_path: Path) -> None:
    files = {
        'demo/SKILL.md': skill_text(),
        'demo/references/a.md': '[b](b.md) [up](../top.md)',
        'demo/references/b.md': 'B OF REFERENCES',
        'demo/examples/b.md': 'B OF EXAMPLES',
        'demo/examples/deep/only.md': 'ONLY',
        'demo/top.md': 'TOP',
    }
    capability = SkillsCapability(make_library(tmp_path, files))

    def answer(name: str, args: Any = None) -> str:
        return run(capability, [load(), read(name, args=args)]).last

    assert answer('b.md', {'from': 'references/a.md'}) == 'B OF REFERENCES'
    assert answer('../top.md', {'from': 'references/a.md'}) == 'TOP'
    assert answer('../examples/b.md', {'from': 'references/a.md', 'limit': 1}) == 'B OF EXAMPLES'
    assert answer('deep/only.md') == 'ONLY'
    assert 'references/b.md' in answer('b.md') and 'examples/b.md' in answer('b.md')
    assert 'no file' in answer('../../secret', {'from': 'references/a.md'})
