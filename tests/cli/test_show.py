"""`show`: the skill as written, as the model gets it, and what that costs."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import pytest

from pydantic_ai_skills import SkillsCapability
from pydantic_ai_skills.cli import tokens

from ..registries.helpers import write_skill
from ..support import load, make_library, run, skill_text
from .conftest import Cli

BODY = """Read [notes](references/notes.md).

```sh
python scripts/go.py in.txt --top 3
```
"""


def library(work: Path) -> Path:
    return make_library(
        work / 'lib',
        {
            'demo/SKILL.md': skill_text(body=BODY, extra='license: MIT\nmetadata:\n  author: me\n'),
            'demo/references/notes.md': 'note',
            'demo/scripts/go.py': 'print(1)',
            'demo/tools/other.sh': 'echo',
            'demo/logo.png': b'\x89PNG\0',
        },
    )


def test_everything_is_what_the_model_gets(work: Path, cli: Cli) -> None:
    lib = library(work)
    view = json.loads(cli('show', 'lib/demo', '--json').out)
    seen = run(SkillsCapability(lib), [load()])
    assert view['instructions'] in seen.everything
    assert view['catalog_entry'] in seen.catalogs[0].splitlines()
    assert view['frontmatter']['license'] == 'MIT' and view['frontmatter']['metadata'] == {'author': 'me'}
    assert view['digest'] == SkillsCapability(lib).packages['demo'].digest
    assert view['tokens'] == {
        'catalog_entry': -(-len(view['catalog_entry']) // 4),
        'instructions': -(-len(view['instructions']) // 4),
        'estimated': True,
    }


def test_each_file_says_how_it_is_called(work: Path, cli: Cli) -> None:
    library(work)
    files = {file['name']: file for file in json.loads(cli('show', 'lib/demo', '--json').out)['files']}
    assert {name: file['kind'] for name, file in files.items()} == {
        'logo.png': 'asset',
        'references/notes.md': 'resource',
        'scripts/go.py': 'script',
        'tools/other.sh': 'resource and script',
    }
    assert files['scripts/go.py']['calls'] == [
        {
            'tool': 'run_skill_script',
            'arguments': {
                'skill_name': 'demo',
                'script_name': 'scripts/go.py',
                'args': ['in.txt', '--top', '3'],
            },
        }
    ]
    assert [call['tool'] for call in files['tools/other.sh']['calls']] == ['run_skill_script', 'read_skill_resource']


def test_text_has_frontmatter_instructions_tree_and_problems(work: Path, cli: Cli) -> None:
    library(work)
    (work / 'lib/demo/SKILL.md').write_text(skill_text('wrong', body=BODY))
    done = cli('show', 'demo', '--source', 'lib')
    assert done.code == 0
    assert '# Skill: demo' in done.out and 'about ' in done.out
    assert '    └── go.py  script, 8 bytes' in done.out or '│   └── go.py  script, 8 bytes' in done.out
    assert 'run_skill_script(skill_name="demo", script_name="scripts/go.py", args=["in.txt", "--top", "3"])' in done.out
    assert 'warning name-mended: ' in done.out


def test_on_a_terminal_instructions_are_rendered(work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('FORCE_COLOR', '1')
    monkeypatch.setenv('COLUMNS', '80')
    make_library(work / 'lib', {'demo/SKILL.md': skill_text(body='# Head\n\n- **bold** item')})
    text = cli('show', 'lib/demo').out
    assert '•' in text and '**bold**' not in text and max(map(len, text.splitlines())) < 200


def test_a_skill_that_only_a_person_may_invoke_is_shown_as_that(work: Path, cli: Cli) -> None:
    make_library(
        work / 'lib',
        {'demo/SKILL.md': skill_text(extra='disable-model-invocation: true\n'), 'demo/notes.md': 'x'},
    )
    view = json.loads(cli('show', 'lib/demo', '--json').out)
    assert view['offered_to_model'] is False and view['catalog_entry'] == ''
    assert view['files'] == [{'name': 'notes.md', 'kind': 'resource', 'size': 1, 'calls': []}]
    refused = cli('read', 'lib/demo', 'notes.md')
    assert refused.code == 2 and 'not offered to the model' in refused.err


def test_unknown_skills_are_answered_with_what_there_is(work: Path, cli: Cli) -> None:
    make_library(work / 'lib', {'demo/SKILL.md': skill_text(), 'broken/SKILL.md': 'nothing'})
    assert cli('show', 'demmo', '-s', 'lib').err == "Error: There is no skill 'demmo'. Did you mean 'demo'?\n"
    assert 'There is: demo.' in cli('show', 'zzz', '-s', 'lib').err
    left_out = cli('show', 'lib/broken')
    assert left_out.code == 2 and 'has no frontmatter' in left_out.err
    assert 'has no frontmatter' in cli('show', 'broken', '-s', 'lib').err


def test_a_skill_inside_a_skill_cannot_be_opened(work: Path, cli: Cli) -> None:
    write_skill(work / 'outer')
    write_skill(work / 'outer/inner')
    done = cli('show', 'outer/inner')
    assert done.code == 2 and 'lies inside the skill' in done.err


def test_tokens_by_tiktoken_where_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    # A stand-in: the real one would download its tables.
    fake = types.ModuleType('tiktoken')
    fake.__spec__ = types.SimpleNamespace()  # type: ignore[assignment]
    encoding = types.SimpleNamespace(encode=lambda text, disallowed_special: text.split())
    fake.get_encoding = lambda name: encoding if name == 'o200k_base' else None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, 'tiktoken', fake)
    tokens._encoder.cache_clear()
    try:
        assert (tokens.token_count('one two three'), tokens.is_estimate()) == (3, False)
        assert tokens.token_text('one') == '1 tokens'
    finally:
        tokens._encoder.cache_clear()


def test_calls_are_written_as_a_model_writes_them(work: Path, cli: Cli) -> None:
    make_library(work / 'lib', {'日本/SKILL.md': skill_text('日本'), '日本/数.md': 'x', '日本/"q".md': 'x'})
    out = cli('show', '日本', '-s', 'lib').out
    assert 'read_skill_resource(skill_name="日本", resource_name="数.md")' in out
    assert 'resource_name="\\"q\\".md")' in out


def test_a_folder_of_skills_is_no_skill(work: Path, cli: Cli) -> None:
    make_library(work, {'lib/demo/SKILL.md': skill_text(), '.agents/skills/x/SKILL.md': skill_text('x')})
    done = cli('show', 'lib')
    assert (
        done.code == 2
        and 'lib is a folder without a SKILL.md: name a skill, and the folder by --source lib.' in done.err
    )
