"""What the package exports, and what importing it brings along."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import pydantic_ai_skills
from pydantic_ai_skills import executors, registries

SOURCE = Path(pydantic_ai_skills.__file__)


PACKAGES = (pydantic_ai_skills, executors, registries)


@pytest.mark.parametrize('package', PACKAGES, ids=lambda package: package.__name__)
def test_type_checkers_see_the_names_that_are_there(package: Any) -> None:
    imported = {
        alias.name
        for node in ast.walk(ast.parse(Path(package.__file__).read_text()))
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module != 'lazy'
        for alias in node.names
    }
    assert imported == set(package.__all__) == set(package._MODULES)
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(getattr(package, name), '__name__', name) == name


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match='no_such_name'):
        getattr(pydantic_ai_skills, 'no_such_name')  # noqa: B009


def test_import_brings_no_optional_package_along() -> None:
    program = (
        'import sys, pydantic_ai, pydantic_ai_harness.skills\n'
        'before = set(sys.modules)\n'
        'import pydantic_ai_skills as package\n'
        '[getattr(package, name) for name in package.__all__]\n'
        'print(sorted({"git", "boto3", "botocore", "rich", "typer"} & (set(sys.modules) - before)))\n'
    )
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == '[]'


def imported_modules() -> set[str]:
    """The first parts of all absolute imports in the package."""
    found: set[str] = set()
    for path in SOURCE.parent.rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(str(node.module).partition('.')[0])
            elif isinstance(node, ast.Import):
                found |= {alias.name.partition('.')[0] for alias in node.names}
    return found - sys.stdlib_module_names


def test_every_package_that_is_imported_is_declared() -> None:
    def distribution(requirement: str) -> str:
        return re.split(r'[^\w.-]', requirement)[0].lower().replace('_', '-')

    project = tomllib.loads((SOURCE.parents[1] / 'pyproject.toml').read_text())['project']
    required = [*project['dependencies'], *chain.from_iterable(project['optional-dependencies'].values())]
    declared = {distribution(requirement) for requirement in required}
    # These come with harness, in versions that it pins or that Pydantic AI's own interface is made of.
    declared |= {'pydantic-ai-slim', 'pydantic', 'pydantic-core', 'opentelemetry-api', 'pydantic-ai-skills'}
    packages = metadata.packages_distributions()
    undeclared = {
        module
        for module in imported_modules()
        if not declared & {distribution(name) for name in packages.get(module, ())}
    }
    assert undeclared - {'tiktoken'} == set()  # used for better counts of tokens where it is there


def test_no_private_module_or_name_of_the_framework_is_imported() -> None:
    found: list[str] = []
    for path in SOURCE.parent.rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                dotted = [f'{node.module}.{alias.name}' for alias in node.names]
            elif isinstance(node, ast.Import):
                dotted = [alias.name for alias in node.names]
            else:
                continue
            found += [
                f'{path.name}: {name}'
                for name in dotted
                if not name.startswith('__future__') and any(part.startswith('_') for part in name.split('.'))
            ]
    assert found == []
