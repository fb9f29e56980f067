from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pydantic_ai_skills.frontmatter import frontmatter_fields
from pydantic_ai_skills.registries.frontmatter_name import with_name


def rewritten(frontmatter: str, name: str = 'x-demo') -> str:
    text = f'---\n{frontmatter}---\n\nname: body\n'
    new = with_name(text, name)
    assert new.startswith('---\n') and new.endswith('---\n\nname: body\n')
    return new[4 : -len('---\n\nname: body\n')]


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        ('name: demo\ndescription: d\n', 'name: x-demo\ndescription: d\n'),
        ('description: d\nname:   demo   # why\n', 'description: d\nname:   x-demo   # why\n'),
        ("name: 'demo'\n", "name: 'x-demo'\n"),
        ('name: "de\\\n  mo"\nd: 1\n', 'name: "x-demo"\nd: 1\n'),
        ('name: >-\n  demo\n# c\nd: 1\n', 'name: x-demo\n# c\nd: 1\n'),
        ('name: |\r\n  demo\r\nd: x\r\n', 'name: x-demo\r\nd: x\r\n'),
        ('name:\n  demo\nd: |\n  x\n', 'name:\n  x-demo\nd: |\n  x\n'),
        ('name:\nd: x\n', 'name: x-demo\nd: x\n'),
        ('"name": demo\n', '"name": x-demo\n'),
        ('? name\n: demo\n', '? name\n: x-demo\n'),
        ('{name: demo, description: y}\n', '{name: x-demo, description: y}\n'),
        ("name: &n 'demo'\nx: *n\n", "name: &n 'x-demo'\nx: *n\n"),
        ('x: &n demo\nname: *n\n', 'x: &n demo\nname: x-demo\n'),
        ('name: !!str demo\n', 'name: !!str x-demo\n'),
        ('a:\n  name: inner\nname: demo\n', 'a:\n  name: inner\nname: x-demo\n'),
        ('a: [{name: inner}]\n? [b]\n: c\nname: demo\n', 'a: [{name: inner}]\n? [b]\n: c\nname: x-demo\n'),
        ('d: "x\nname: no"\nname: demo\n', 'd: "x\nname: no"\nname: x-demo\n'),
        ('d: |\n  name: no\nname: demo\n', 'd: |\n  name: no\nname: x-demo\n'),
        ('description: no name\n', 'description: no name\n'),
        ('- name: demo\n', '- name: demo\n'),
        ('name: [a]\n', 'name: [a]\n'),
        ('', ''),
        # not valid YAML before the name: the line is found all the same
        ('description: a: b: c\nname: demo\n', 'description: a: b: c\nname: x-demo\n'),
        ('d: @x\nname: demo\r\n', 'd: @x\nname: x-demo\r\n'),
        ('d: {\nnames: demo\n', 'd: {\nnames: demo\n'),
    ],
)
def test_only_the_value_changes(before: str, after: str):
    assert rewritten(before) == after


@pytest.mark.parametrize('name', ['1', '1-2', 'true', 'null', 'no', '2026-01-01', '1e3', '0x1f'])
def test_a_name_that_other_readers_would_type_is_quoted(name: str):
    assert yaml.safe_load(rewritten('name: demo\n', name))['name'] == name


def test_around_the_frontmatter_nothing_changes():
    assert with_name('\ufeff---\r\nname: a\r\n---\r\nb\u2028\x0c', 'b') == '\ufeff---\r\nname: b\r\n---\r\nb\u2028\x0c'
    assert with_name('no frontmatter\nname: x\n', 'b') == 'no frontmatter\nname: x\n'


def test_an_alias_bomb_stays_cheap():
    levels = ['a: &a [x,x,x,x,x,x,x,x,x,x]']
    levels += [f'{b}: &{b} [{",".join([f"*{a}"] * 10)}]' for a, b in zip('abcdefgh', 'bcdefghi', strict=True)]
    bomb = '\n'.join(levels) + '\n'
    assert rewritten(f'{bomb}name: demo\n') == f'{bomb}name: x-demo\n'


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='nameo: \n\'"|>-#&*!?[]{},\\\r\t~x1\u2028\ufeff', max_size=60))
def test_any_text_survives(source: str):
    """Whatever it is, it is either left alone or only one stretch of it is another."""
    text = f'---\n{source}\n---\nbody'
    new = with_name(text, 'brand-new')
    if new != text:
        assert new.count('brand-new') == 1
        before, after = re.split('[\'"]?brand-new[\'"]?', new)
        assert text.startswith(before.rstrip(' ')) and text.endswith(after.lstrip('\r\n'))
        fields = frontmatter_fields(text)
        if fields:
            renamed = frontmatter_fields(new)
            assert renamed == {} or renamed.get('name') == 'brand-new' or 'name' not in fields
