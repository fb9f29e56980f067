"""Every option of a capability once: checked, frozen, and shared by the constructor, agent specs and the command line."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from .approval import ApprovalPolicy, checked_policy
from .entry import FileOptions
from .excludes import ResourceFilter, combined_globs
from .names import normalize_name

MissingDirectories: TypeAlias = Literal['error', 'skip']
DuplicateNames: TypeAlias = Literal['error', 'keep_first']
UnknownNames: TypeAlias = Literal['error', 'skip']
BinaryResources: TypeAlias = Literal['describe', 'attach']
ValueT = TypeVar('ValueT')


@dataclass(frozen=True, kw_only=True)
class SkillsOptions:
    """The options that are plain values; names, defaults and meaning are those of `SkillsCapability`."""

    directories: tuple[str | Path, ...] = ()
    include: frozenset[str] | None = None
    exclude: frozenset[str] = frozenset()
    exclude_resources: tuple[str, ...] = ()
    resources: bool = True
    scripts: bool = True
    require_loaded: bool = True
    resolve_skill_dir: bool = True
    list_bundled_files: bool = True
    missing_directories: MissingDirectories = 'error'
    duplicate_names: DuplicateNames = 'error'
    unknown_names: UnknownNames = 'error'
    max_retries: int | None = None
    strict: bool = False
    catalog_budget: int | None = None
    approval: ApprovalPolicy = 'never'
    refresh_every: float | None = None
    binary_resources: BinaryResources = 'describe'

    def __post_init__(self) -> None:
        """Check what types alone do not.

        Raises:
            TypeError: an option has a wrong type.
            ValueError: an option has a value that it cannot have.
        """
        for name in ('resources', 'scripts', 'require_loaded', 'resolve_skill_dir', 'list_bundled_files', 'strict'):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f'{name} must be True or False, not {getattr(self, name)!r}.')
        _check_choice('missing_directories', self.missing_directories, MissingDirectories)
        _check_choice('duplicate_names', self.duplicate_names, DuplicateNames)
        _check_choice('unknown_names', self.unknown_names, UnknownNames)
        _check_count('max_retries', self.max_retries, 0)
        _check_count('catalog_budget', self.catalog_budget, 1)
        checked_policy(self.approval)
        _check_choice('binary_resources', self.binary_resources, BinaryResources)
        combined_globs(self.exclude_resources)

    def selects(self, *names: str) -> bool:
        """Whether `include` and `exclude` let a skill in: one of its names, its id and that of its folder, counts."""
        return self.exclude.isdisjoint(names) if self.include is None else not self.include.isdisjoint(names)

    @property
    def hidden(self) -> ResourceFilter:
        """The filter that `exclude_resources` makes."""
        return combined_globs(self.exclude_resources)

    @property
    def files(self) -> FileOptions:
        """The options that each skill carries with it."""
        return FileOptions(
            resources=self.resources,
            scripts=self.scripts,
            require_loaded=self.require_loaded,
            list_bundled_files=self.list_bundled_files,
            approval=self.approval,
            attach_binaries=self.binary_resources == 'attach',
        )


def directory_tuple(directories: str | Path | Sequence[str | Path] | None) -> tuple[str | Path, ...]:
    """`directories` as a tuple of what was passed.

    Raises:
        TypeError: one of them is neither a string nor a path.
    """
    if directories is None:
        return ()
    one = isinstance(directories, (str, Path, bytes))  # bytes would come as numbers
    listed = (directories,) if one else listed_values('directories', directories)
    for directory in listed:
        if not isinstance(directory, (str, Path)):
            raise TypeError(f'directories must hold strings or paths, not {directory!r}.')
        if directory == '':
            raise ValueError('directories holds an empty string; write "." for the current folder.')
    return listed


def listed_values(option: str, values: Iterable[ValueT]) -> tuple[ValueT, ...]:
    """The values of an option that takes several.

    Raises:
        TypeError: it is nothing that holds values.
    """
    if not isinstance(values, Iterable):
        raise TypeError(f'{option} must be a sequence, not {values!r}.')
    return tuple(values)


def name_set(option: str, names: Collection[str] | None) -> frozenset[str] | None:
    """The names of `include` or `exclude`, in NFKC.

    Raises:
        TypeError: a bare string, or something else than strings in it.
    """
    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError(f'{option} must be a collection of skill names, not the string {names!r}: write [{names!r}].')
    listed = listed_values(option, names)
    for name in listed:
        if not isinstance(name, str):
            raise TypeError(f'{option} must contain only skill names as strings, not {name!r}.')
    return frozenset(normalize_name(name) for name in listed)


def _check_choice(option: str, value: object, choices: object) -> None:
    if not isinstance(value, str) or value not in get_args(choices):
        raise ValueError(f'{option} must be {" or ".join(map(repr, get_args(choices)))}, not {value!r}.')


def seconds(option: str, value: float | timedelta | None) -> float | None:
    """A duration in seconds; `None` for none.

    Raises:
        TypeError: it is neither a number nor a `timedelta`.
        ValueError: it is not positive.
    """
    if value is None:
        return None
    number: object = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f'{option} must be a number of seconds, a timedelta or None, not {value!r}.')
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f'{option} must be a positive duration, not {value!r}.')
    return float(number)


def _check_count(option: str, value: object, least: int) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f'{option} must be a whole number or None, not {value!r}.')
    if value < least:
        raise ValueError(f'{option} must be {least} or more, not {value}.')


def glob_tuple(globs: Sequence[str] | None) -> tuple[str, ...]:
    """`exclude_resources` as a tuple.

    Raises:
        TypeError: it is a bare string.
    """
    if isinstance(globs, str):
        raise TypeError(f'exclude_resources must be a sequence of globs, not the string {globs!r}: write [{globs!r}].')
    return () if globs is None else listed_values('exclude_resources', globs)


def checked_sequence(option: str, values: Any, kind: Any) -> tuple[Any, ...]:
    """`values` as a tuple, all of this kind.

    Raises:
        TypeError: it is one such value by itself, or holds something else.
    """
    if isinstance(values, kind):
        raise TypeError(f'{option} must be a sequence: write [{values!r}].')
    listed = listed_values(option, values)
    for value in listed:
        if not isinstance(value, kind):
            raise TypeError(f'{option} cannot hold {value!r}.')
    return listed
