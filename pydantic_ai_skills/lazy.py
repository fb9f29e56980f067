"""Exports that are imported when they are first asked for, as harness does it.

Measured: with all sources and executors the package takes several times as long to import as what one agent uses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`.

    Args:
        package: Its `__name__`.
        modules: The module of each exported name, without the package's name in front.
    """

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f'module {package!r} has no attribute {name!r}')
        value = getattr(import_module(f'.{modules[name]}', package), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return get, names
