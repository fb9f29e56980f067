"""`GitCloneOptions`: how a repository is fetched, in the words of `git clone`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pathspec import GitIgnoreSpec

# What of `git clone`'s options `git fetch` knows by the same name, and whether a value follows.
_FETCHED = {
    '--shallow-since': True,
    '--shallow-exclude': True,
    '--server-option': True,
    '--jobs': True,
    '-j': True,
    '--tags': False,
    '--no-tags': False,
    '--ipv4': False,
    '--ipv6': False,
    '-4': False,
    '-6': False,
}
_OURS = {'--config': True, '-c': True, '--branch': True, '-b': True, '--depth': True, '--filter': True}
_SWITCHES = ('--single-branch', '--no-single-branch')
_TALK = ('-q', '--quiet', '-v', '--verbose', '--progress', '--no-progress')


@dataclass(frozen=True)
class GitCloneOptions:
    """How a repository is fetched. Never changed by a registry.

    Nothing is cloned: one commit is fetched, shallow and without what is not needed, and checked out into a
    generation. What of `git clone`'s options has a meaning for that is honoured; another is a `ValueError`.
    """

    depth: int | None = None
    """How many commits to fetch; 1 where `None`, or the whole history where a server cannot do less."""

    branch: str | None = None
    """The branch, or tag, where the registry's `ref` is `None`."""

    single_branch: bool = False
    """Whether to fetch only that branch from a server which must be asked for the whole history."""

    sparse_paths: Sequence[str] = field(default_factory=list[str])
    """Only these paths of the repository are checked out: folders, files or `.gitignore` patterns from its root."""

    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Environment variables for git, on top of this process's."""

    multi_options: Sequence[str] = field(default_factory=list[str], repr=False)
    """Options as for `git clone`: `['--config http.proxy=http://proxy:3128', '--filter=blob:limit=1m']`."""

    git_options: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """The same as keywords, as GitPython has them: `{'shallow_since': '2026-01-01'}`."""

    def __post_init__(self) -> None:
        if self.depth is not None and (
            not isinstance(self.depth, int) or isinstance(self.depth, bool) or self.depth < 1
        ):
            raise ValueError(f'depth must be a number of commits from 1 up, or None, not {self.depth!r}.')
        for name in ('sparse_paths', 'multi_options'):
            value: Any = getattr(self, name)
            if isinstance(value, (str, Mapping)) or not _is_list_of_text(value):
                raise TypeError(f'{name} must be a list of strings.')
            object.__setattr__(self, name, list(value))
        for name in ('env', 'git_options'):
            if not isinstance(getattr(self, name), Mapping):
                raise TypeError(f'{name} must be a mapping, not {type(getattr(self, name)).__name__}.')
        object.__setattr__(self, 'env', {str(name): str(value) for name, value in self.env.items()})
        for name, value in self.env.items():
            if not name or '=' in name or '\0' in f'{name}{value}':
                raise ValueError(f'GitCloneOptions has in env what no environment can hold: {name!r}.')
        object.__setattr__(self, 'git_options', dict(self.git_options))


@dataclass
class FetchOptions:
    """`GitCloneOptions` read: what is left for `git fetch`, and what goes elsewhere."""

    depth: int | None = None
    branch: str | None = None
    filter: str | None = None
    single_branch: bool = False
    config: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]], repr=False)
    arguments: list[str] = field(default_factory=list[str])
    sparse: GitIgnoreSpec | None = None

    @property
    def limits_history(self) -> bool:
        """Whether the options themselves say how much history to fetch."""
        return any(argument.startswith('--shallow-') for argument in self.arguments)


def read_options(options: GitCloneOptions) -> FetchOptions:
    """What the options mean for a fetch.

    Raises:
        ValueError: one of them has no meaning here, or is not valid.
    """
    read = FetchOptions(options.depth, options.branch, single_branch=options.single_branch)
    words = [word for option in options.multi_options for word in _split(option)]
    if options.git_options:
        from git import Git  # GitPython's own rule for keywords; imported only for who uses it

        words += Git().transform_kwargs(split_single_char_options=True, **options.git_options)
    while words:
        _take(words, read)
    if options.sparse_paths:
        anchored = [path if path[:1] in ('/', '!') else f'/{path}' for path in options.sparse_paths]
        read.sparse = GitIgnoreSpec.from_lines(anchored)
    return read


def _is_list_of_text(value: Any) -> bool:
    return hasattr(value, '__iter__') and all(isinstance(item, str) for item in value)


def _split(option: str) -> list[str]:
    try:
        words = shlex.split(option)
    except ValueError as error:  # the option itself may hold a secret
        raise ValueError(f'GitCloneOptions has in multi_options what a shell could not split: {error}.') from None
    if words and re.match('-[a-z][^=]', words[0]):  # -bmain
        words[:1] = [words[0][:2], words[0][2:]]
    return words


def _take(words: list[str], read: FetchOptions) -> None:
    name, equals, value = words.pop(0).partition('=')
    if name in _TALK:
        return
    if name in _SWITCHES:
        read.single_branch = name == '--single-branch'
        return
    takes_value = _OURS.get(name, _FETCHED.get(name))
    if takes_value is None:
        raise ValueError(
            f'GitCloneOptions has {name!r}, which means nothing here: one commit is fetched and checked out, '
            'and nothing is cloned. Leave it out.'
        )
    if takes_value and not equals:
        if not words:
            raise ValueError(f'GitCloneOptions has {name!r} without a value.')
        value = words.pop(0)
    if name in ('--config', '-c'):
        key, _, setting = value.partition('=')
        read.config.append((key, setting or 'true'))
    elif name in ('--branch', '-b'):
        read.branch = read.branch or value
    elif name == '--filter':
        read.filter = value
    elif name == '--depth':
        if not value.isdecimal() or int(value) < 1:
            raise ValueError(f'GitCloneOptions has the depth {value!r}; it must be a number of commits from 1 up.')
        read.depth = read.depth or int(value)
    else:
        read.arguments.append(f'{name}={value}' if takes_value and name.startswith('--') else f'{name}{value}')
