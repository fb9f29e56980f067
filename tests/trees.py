"""Made-up trees of files for property tests: names that meet every rule, every kind of entry, links to anywhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from .skill_texts import skill_files

_names = st.sampled_from(
    ['a', 'b.md', 'c.py', 'scripts', 'docs', 'SKILL.md', 'skill.md', '.env', '.git', 'node_modules', '__init__.py', 'é',
     'x y', 'l\nf', 'Z.PNG', '\udcff', '-', '...', 'run']
)  # fmt: skip
_leaves = st.one_of(
    st.tuples(st.just('file'), st.sampled_from([b'', b'text', b'#!/bin/sh\n', b'\0', b'\xff', b'x']), st.booleans()),
    st.tuples(st.just('fifo')),
    st.tuples(
        st.just('link'),
        st.sampled_from(
            ['.', '..', '../..', 'a', 'docs', '../docs', 'scripts/c.py', '../../outside', '../../outside/secret', '/', '/etc',
             '/dev/zero', '/dev/tty', '/proc/self/fd', 'l\nf', 'loop', '../.git', '.env']
        ),
    ),
)  # fmt: skip


def _is_folder(tree: Any) -> bool:
    return isinstance(tree, dict)


trees: Any = st.recursive(_leaves, lambda inner: st.dictionaries(_names, inner, max_size=5), max_leaves=25).filter(
    _is_folder
)
"""The entries of a folder by name: a dictionary is a folder, a tuple a file, a pipe or a link."""

_good = b'---\nname: a\ndescription: Shows things.\n---\n\nDo it.\n'


def _mostly(usual: Any, otherwise: Any) -> Any:
    """Three of four examples of the first: `one_of` keeps one of two that are the same."""
    return st.sampled_from([usual] * 3 + [otherwise]).flatmap(lambda chosen: chosen)


_skills = st.tuples(trees, _mostly(st.just(_good), skill_files)).map(
    lambda pair: {**pair[0], 'SKILL.md': ('file', pair[1], False)}
)
libraries: Any = st.dictionaries(
    st.sampled_from(['a', 'b', 'My Skill', 'A', 'é', '\udcff', 'l\nf', '.git', 'node_modules', 'scripts']),
    _mostly(_skills, trees | _leaves),
    min_size=1,
    max_size=4,
)
"""The entries of a library: mostly skills, of which most load."""


def grow(folder: Path, tree: Any) -> None:
    """Make the entries in a folder."""
    folder.mkdir(exist_ok=True)
    for name, node in tree.items():
        path = folder / name
        if isinstance(node, dict):
            grow(path, node)
        elif node[0] == 'fifo':
            os.mkfifo(path)
        elif node[0] == 'link':
            path.symlink_to(node[1])
        else:
            path.write_bytes(node[1])
            path.chmod(0o755 if node[2] else 0o644)
