from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pydantic_ai_skills.cli.app import app

Cli = Callable[..., 'Done']


class Done:
    """A command that has ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def __repr__(self) -> str:
        return f'exit {self.code}\n{self.out}\n--- stderr\n{self.err}'


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, an empty home, a cache of one's own, and no key or identity of the user's."""
    folder, home = tmp_path / 'work', tmp_path / 'home'
    folder.mkdir()
    home.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv('HOME', str(home))
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', str(tmp_path / 'cache'))
    for name in ('GITHUB_TOKEN', 'OPENAI_API_KEY', 'GIT_ASKPASS', 'FORCE_COLOR', 'GITHUB_ACTIONS'):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def cli() -> Cli:
    """Runs the command in this process."""

    def run(*args: object, stdin: str | bytes | None = None) -> Done:
        result = CliRunner().invoke(app, [str(arg) for arg in args], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    return run
