"""The variables that a script is given: few of the host's, and those that the host's developer chose."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, TypeAlias

from pydantic_ai import RunContext

Variables: TypeAlias = Mapping[str, str | None]
"""Environment variables by name; `None` takes one away that the workspace would give."""

ContextVariables: TypeAlias = 'Callable[[RunContext[Any]], Variables | Awaitable[Variables | None] | None]'
"""Gives the variables of one run from its context, such as a token of the user it is for."""

_NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_]*')
_WORD = re.compile(rb'[A-Za-z_][A-Za-z0-9_]{2,}')
_GIVEN_BY_SHELLS = frozenset(['PWD', 'OLDPWD', 'SHLVL', 'HOME', 'PATH', 'LANG', 'LC_ALL', 'LC_CTYPE'])
_LOCALE = ('LC_ALL', 'LC_CTYPE', 'LANG')


class ScriptEnvironment:
    """An executor's rule for variables: `inherit_env`, then `env_vars`, then what the run's context gives."""

    def __init__(
        self, env_vars: Variables | None, extractor: ContextVariables | None = None, inherit_env: Collection[str] = ()
    ) -> None:
        """Check the options once.

        Raises:
            TypeError: a name or value is no text, or `inherit_env` is one string.
            ValueError: a name cannot be a variable's.
        """
        if isinstance(inherit_env, str):
            raise TypeError(f'inherit_env must be a collection of names, not the string {inherit_env!r}.')
        if extractor is not None and not callable(extractor):
            raise TypeError(f'context_env_vars_extractor must be a function of the run context, not {extractor!r}.')
        self._fixed = checked_variables(env_vars or {}, 'env_vars')
        self._inherited = tuple(checked_variables(dict.fromkeys(inherit_env), 'inherit_env'))
        self._extractor = extractor

    async def variables(self, ctx: RunContext[Any] | None) -> dict[str, str | None]:
        """The variables of one run, without `SKILL_DIR` and its like; without a context nothing is asked of it."""
        variables: dict[str, str | None] = {'PYTHONIOENCODING': 'utf-8'}
        variables |= {name: os.environ[name] for name in self._inherited if name in os.environ}
        variables |= self._fixed
        if self._extractor is not None and ctx is not None:
            extracted = self._extractor(ctx)
            if inspect.isawaitable(extracted):
                extracted = await extracted
            variables |= checked_variables(extracted or {}, 'context_env_vars_extractor')
        return variables


def host_locale() -> dict[str, str | None]:
    """A locale in UTF-8 for scripts on a host that has set none."""
    return {} if any(os.environ.get(name) for name in _LOCALE) else {'LANG': 'C.UTF-8'}


def checked_variables(variables: Variables, option: str) -> dict[str, str | None]:
    """`variables` once every name and value in it can be a variable's.

    Raises:
        TypeError: a name or value is no text.
        ValueError: a name is not made of letters, digits and underscores, or a value holds a NUL.
    """
    if not isinstance(variables, Mapping):
        raise TypeError(f'{option} must map names of variables to text, not be {variables!r}.')
    for name, value in variables.items():
        if not isinstance(name, str) or not (value is None or isinstance(value, str)):
            shown = name if isinstance(name, str) else repr(name)
            raise TypeError(f'{option}: the variable {shown} must be text or None, not {type(value).__name__}.')
        if not _NAME.fullmatch(name):
            raise ValueError(f'{option}: {name!r} is no name of an environment variable.')
        if value is not None and '\0' in value:
            raise ValueError(f'{option}: the value of {name} holds a NUL character.')
    return dict(variables)


def variables_not_given(source: bytes, given: Collection[str]) -> list[str]:
    """Names of variables that the host has, the script's source mentions, and the script was not given."""
    mentioned = {word.decode() for word in _WORD.findall(source)}
    return sorted(mentioned & os.environ.keys() - set(given) - _GIVEN_BY_SHELLS)
