from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_skills.executors import LocalSkillScriptExecutor
from pydantic_ai_skills.members import SkillScript, SkillScriptExecutor


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the user's cache folder."""
    cache = tmp_path_factory.mktemp('cache')
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', str(cache))
    return cache


class Package:
    """A skill's folder that a test fills, and calls of its scripts."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True)
        self.write('SKILL.md', '---\nname: demo\ndescription: Demo.\n---\n')

    def write(self, name: str, body: str | bytes, mode: int = 0o644) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body if isinstance(body, bytes) else body.encode())
        path.chmod(mode)
        return path

    def script(
        self, name: str, body: str | bytes | None = None, mode: int = 0o644, *, executor: Any = None, **fields: Any
    ) -> SkillScript:
        if body is not None:
            self.write(name, body, mode)
        return SkillScript(
            name=name,
            uri=str(self.directory / name),
            skill_name='demo',
            skill_directory=self.directory,
            root=fields.pop('root', self.directory),
            executor=executor or LocalSkillScriptExecutor(),
            **fields,
        )

    def run(
        self,
        name: str,
        body: str | bytes | None = None,
        args: Any = None,
        *,
        executor: SkillScriptExecutor | None = None,
        stdin: str | None = None,
        ctx: Any = None,
        **fields: Any,
    ) -> Any:
        script = self.script(name, body, executor=executor, **fields)
        return asyncio.run(script.run(ctx, args, stdin=stdin))


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path.resolve() / 'lib' / 'demo')


@pytest.fixture
def make_package(tmp_path: Path) -> Callable[[str], Package]:
    return lambda name: Package(tmp_path.resolve() / 'lib' / name)
