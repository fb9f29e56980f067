from __future__ import annotations

import asyncio
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic_ai import ModelRetry

from pydantic_ai_skills.executors.arguments import argument_vector

SERVER = ['--server', 'A', '--port', '1', '--server', 'B', '--port', '2', '--', 'python', 'x.py']


@pytest.mark.parametrize(
    ('args', 'argv'),
    [
        (None, []),
        ('', []),
        ('  ', []),
        ('null', []),
        ([], []),
        ({}, []),
        ('[]', []),
        ('{}', []),
        (SERVER, SERVER),
        (json.dumps(SERVER), SERVER),
        (('out.xlsx', 30, 1.5, True, False), ['out.xlsx', '30', '1.5', 'true', 'false']),
        ([{'a': [1, None]}, [1, 'é']], ['{"a": [1, null]}', '[1, "é"]']),
        (['$HOME', '*', 'a b', '', ';', '--a=b'], ['$HOME', '*', 'a b', '', ';', '--a=b']),
        ([Path('a/b')], ['a/b']),
        ({'flag': True, 'off': False, 'none': None}, ['--flag']),
        ({'ratio': 1.5, 'count': 3}, ['--ratio', '1.5', '--count', '3']),
        ({'tag': ['x', 'y'], 'q': ['a']}, ['--tag', 'x', '--tag', 'y', '-q', 'a']),
        ({'tag': [True, None, False, 'x']}, ['--tag', '--tag', 'x']),
        ({'tag': []}, []),
        ({'config': {'a': [1, None, True]}}, ['--config', '{"a": [1, null, true]}']),
        ({'rows': [{'id': 1}, [2]]}, ['--rows', '{"id": 1}', '--rows', '[2]']),
        ({'limit': -5, 'n': -5, 'query': '--limit', 'e': ''}, ['--limit=-5', '-n-5', '--query=--limit', '-e', '']),
        ({'--sheet': 'S', '-v': True, '-o': '-'}, ['--sheet', 'S', '-v', '-o-']),
        ('{"alpha": 1, "b": true}', ['--alpha', '1', '-b']),
        ('out.xlsx 30 "two words"', ['out.xlsx', '30', 'two words']),
        ('a; echo $HOME | cat # no comment', ['a;', 'echo', '$HOME', '|', 'cat', '#', 'no', 'comment']),
        ('[a-z]*', ['[a-z]*']),
        ('true', ['true']),
        ('"quoted"', ['quoted']),
    ],
)
def test_what_becomes_of_arguments(args: Any, argv: list[str]) -> None:
    assert argument_vector(args) == argv


@pytest.mark.parametrize(
    ('args', 'message'),
    [
        ("it's here", 'No closing quotation'),
        ('a \\', 'No escaped character'),
        ("{'a': 1}", 'not JSON'),
        ('["a",]', 'not JSON'),
        ('[' * 100_000 + ']' * 100_000, 'cannot be understood'),
        ('[' + '1' * 5_000 + ']', 'cannot be understood'),
        (['a', None], 'item 2 of the list is null'),
        ([b'a'], 'bytes are no text'),
        ({'': 1}, "'' is no name of a flag"),
        ({'--': ['a']}, "'--' is no name"),
        (3, 'int is neither a list'),
        (b'abc', 'bytes is neither a list'),
        (['a\0'], 'NUL'),
        (['\udfff\ud800'], 'not valid text'),
    ],
)
def test_what_cannot_be_understood_says_the_way_out(args: Any, message: str) -> None:
    with pytest.raises(ModelRetry, match='The script was not run') as caught:
        argument_vector(args)
    assert message in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=50, deadline=None)
@given(JSON)
def test_any_value_is_words_or_a_retry(value: Any) -> None:
    for args in (value, json.dumps(value)):
        try:
            words = argument_vector(args)
        except ModelRetry:
            continue
        assert all(isinstance(word, str) and '\0' not in word for word in words)


WORDS = st.text(st.characters(exclude_characters='\0', exclude_categories=['Cs']))


@given(st.lists(WORDS))
def test_a_list_is_the_vector_in_every_spelling(words: list[str]) -> None:
    assert argument_vector(words) == words
    assert argument_vector(json.dumps(words)) == words
    line = shlex.join(words)
    if line.strip()[:1] + line.strip()[-1:] not in ('[]', '{}') and line not in ('', 'null'):
        assert argument_vector(line) == words


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(WORDS), stdin=st.text(st.characters(exclude_categories=['Cs'])))
def test_argv_and_stdin_reach_the_script_byte_for_byte(package_echo: Any, words: list[str], stdin: str) -> None:
    answer = asyncio.run(package_echo.run(None, words, stdin=stdin))
    argv, read = json.loads(answer)
    assert bytes.fromhex(read) == stdin.encode()
    assert [bytes.fromhex(word) for word in argv] == [word.encode() for word in words]


@pytest.fixture
def package_echo(package: Any) -> Any:
    body = (
        'import json, os, sys\n'
        'words = [os.fsencode(word).hex() for word in sys.argv[1:]]\n'
        'print(json.dumps([words, sys.stdin.buffer.read().hex()]))\n'
    )
    return package.script('echo.py', body)
