from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_skills.executors.programs import HostPrograms, WorkspacePrograms, install_hint, version_of
from pydantic_ai_skills.executors.sandbox_mounts import python_folders


def test_programs_of_this_machine(tmp_path: Path) -> None:
    programs = HostPrograms(Workspace(LocalWorkspaceBackend(tmp_path)), os.environ['PATH'])
    assert asyncio.run(programs.find(sys.executable)) == sys.executable
    assert asyncio.run(programs.find('no-such-program')) is None
    first = asyncio.run(programs.version(sys.executable))
    assert first == asyncio.run(programs.version(sys.executable)) == f'Python {sys.version.partition(" ")[0]}'


def test_programs_of_a_workspace_are_asked_for_once(tmp_path: Path) -> None:
    found: dict[str, str] = {}
    programs = WorkspacePrograms(Workspace(LocalWorkspaceBackend(tmp_path)), found)
    assert asyncio.run(programs.find('no-such-program')) is None
    path = asyncio.run(programs.find('sh'))
    assert path is not None
    assert found == {'sh': path}
    (tmp_path / 'gone').mkdir()
    elsewhere = WorkspacePrograms(Workspace(LocalWorkspaceBackend(tmp_path / 'never')), found)
    assert asyncio.run(elsewhere.find('sh')) == path
    assert asyncio.run(programs.version(sys.executable)).startswith('Python 3')
    assert asyncio.run(elsewhere.version(sys.executable)).startswith('Python 3')


def test_a_version_that_cannot_be_had(tmp_path: Path) -> None:
    assert asyncio.run(version_of(Workspace(LocalWorkspaceBackend(tmp_path)), 'false')) == ''
    assert asyncio.run(version_of(Workspace(LocalWorkspaceBackend(tmp_path / 'never')), 'sh')) == ''


def test_hints() -> None:
    assert install_hint('uv') == 'pip install uv'
    assert install_hint('whatever') is None


def test_the_folders_of_a_virtual_environment_and_of_its_base(tmp_path: Path) -> None:
    for folder in ('base/bin', 'base/lib', 'base/secrets', 'venv/bin', 'venv/lib', 'venv/project'):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / 'base/bin/python3').write_text('')
    (tmp_path / 'venv/bin/python3').symlink_to(tmp_path / 'base/bin/python3')
    (tmp_path / 'venv/pyvenv.cfg').write_text(f'home = {tmp_path / "base/bin"}\nversion = 3\n')
    found = python_folders(str(tmp_path / 'venv/bin/python3'))
    assert set(found) == {
        str(tmp_path / name) for name in ('base/bin', 'base/lib', 'venv/bin', 'venv/lib', 'venv/pyvenv.cfg')
    }
    assert python_folders('/usr/bin/python3') == ()


@pytest.mark.skipif(sys.platform != 'linux', reason='what is shown is Linux')
def test_the_agents_python_is_shown() -> None:
    assert any(sys.executable.startswith(folder) for folder in (*python_folders(sys.executable), '/usr/'))
