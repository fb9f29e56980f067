"""Staging and running in workspaces: this host's folder, one with commands only, and one in a sandbox; all real."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, BinaryContent, RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import (
    CommandResult,
    LocalWorkspaceBackend,
    ReadOnlyWorkspace,
    SupportsCommands,
    Workspace,
    WorkspaceBackend,
    WorkspaceCommand,
    WorkspaceRef,
)
from pydantic_ai_harness.bubblewrap_sandbox import BubblewrapWorkspace

from pydantic_ai_skills.digest import package_digest
from pydantic_ai_skills.executors import WorkspaceScriptExecutor
from pydantic_ai_skills.members import accepts_stdin

from .cancelling import cancel_when_started
from .test_inline import SCRIPT, index, make_wheel

__all__ = ['index', 'make_wheel']

SHOW = (
    'import json, os, sys\nprint(json.dumps([sys.argv[1:], os.getcwd(), sys.stdin.read(), os.environ["SKILL_DIR"]]))\n'
)


class CommandsOnly(WorkspaceBackend, SupportsCommands):
    """A workspace that can do nothing but run commands, as Docker's and SSH's; counts them."""

    def __init__(self, folder: Path) -> None:
        self.inner = LocalWorkspaceBackend(folder)
        self.commands: list[Any] = []

    @property
    def ref(self) -> WorkspaceRef | None:
        return WorkspaceRef(provider='commands-only', id=self.inner.ref.id)

    async def working_dir(self) -> str:
        return await self.inner.working_dir()

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> CommandResult:
        self.commands.append((command, dict(env or {})))
        return await self.inner.run(command, shell=shell, env=env, timeout=timeout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / 'workspace'
    folder.mkdir()
    return folder


@pytest.fixture(params=['local', 'commands only', 'sandbox'])
def workspace(request: pytest.FixtureRequest, folder: Path) -> Workspace:
    if request.param == 'local':
        return Workspace(LocalWorkspaceBackend(folder))
    if request.param == 'commands only':
        return Workspace(CommandsOnly(folder))
    if shutil.which('bwrap') is None or subprocess.run(['bwrap', '--ro-bind', '/', '/', 'true']).returncode:
        pytest.skip('needs bubblewrap (apt install bubblewrap) and user namespaces')
    return BubblewrapWorkspace(Workspace(LocalWorkspaceBackend(folder)))


def staged(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / '.skills').iterdir())


def test_a_script_runs_in_the_workspace_on_the_agents_files(package: Any, workspace: Workspace, folder: Path) -> None:
    (folder / 'mine.txt').write_text('mine')
    executor = WorkspaceScriptExecutor(workspace)
    assert accepts_stdin(executor)
    answer = package.run('scripts/x.py', SHOW, ['é', 'a b', '$HOME'], executor=executor, stdin='in\n')
    root = folder / '.skills' / f'demo-{package_digest(package.directory)[:12]}'
    assert json.loads(answer) == [['é', 'a b', '$HOME'], str(folder), 'in\n', str(root)]
    assert package.run('cat.sh', 'cat mine.txt; echo new > made.txt', executor=executor) == 'mine'
    assert (folder / 'made.txt').read_text() == 'new\n'
    in_skill = WorkspaceScriptExecutor(workspace, cwd='skill')
    again = json.loads(package.run('scripts/x.py', executor=in_skill))
    assert again[1] == again[3], 'in the root of the staged skill'


def test_files_are_staged_once_and_a_changed_package_takes_the_place_of_the_old(
    package: Any, workspace: Workspace, folder: Path
) -> None:
    executor = WorkspaceScriptExecutor(workspace)
    package.write('tool', '#!/bin/sh\necho tool', 0o755)
    package.write('.env', 'SECRET=1')
    package.write('.git/config', '')
    package.write('assets/big.bin', bytes(range(256)) * 1_000)
    (package.directory / 'link.txt').symlink_to('SKILL.md')
    package.run('x.py', 'print(1)', executor=executor)
    (name,) = [name for name in staged(folder) if name != '.gitignore']
    root = folder / '.skills' / name
    found = {str(path.relative_to(root)) for path in root.rglob('*') if path.is_file()}
    assert found == {'SKILL.md', 'tool', 'x.py', 'assets/big.bin', 'link.txt'}
    assert (root / 'assets/big.bin').read_bytes() == bytes(range(256)) * 1_000
    assert not (root / 'link.txt').is_symlink()
    assert os.access(root / 'tool', os.X_OK)
    assert (folder / '.skills/.gitignore').read_text() == '*\n'
    inode = root.stat().st_ino
    package.run('x.py', executor=executor)
    assert root.stat().st_ino == inode
    other = folder / '.skills' / 'demo-documents'
    other.mkdir()
    assert package.run('x.py', 'print(2)', executor=executor) == '2'
    assert len(staged(folder)) == 3, "the new one, the user's and .gitignore; the old one went"
    assert other.exists()


def test_the_second_run_is_one_command(package: Any, folder: Path) -> None:
    backend = CommandsOnly(folder)
    executor = WorkspaceScriptExecutor(backend)
    package.run('x.py', 'print(1)', executor=executor)
    backend.commands.clear()
    assert package.run('x.py', executor=executor) == '1'
    assert len(backend.commands) == 1


def test_variables_are_given_and_stand_on_no_command_line(package: Any, folder: Path) -> None:
    backend = CommandsOnly(folder)
    executor = WorkspaceScriptExecutor(
        backend,
        env_vars={'A_TOKEN': "s3cret 'x' $HOME\n", 'HOME': None, 'PATH': None},
        context_env_vars_extractor=lambda ctx: {'B': ctx.deps},
    )
    body = 'import json, os\nprint(json.dumps([os.environ.get(n) for n in ("A_TOKEN", "B", "HOME", "PATH")]))'
    context = RunContext(deps='from ctx', model=TestModel(), usage=RunUsage())
    answer = package.run('x.py', body, executor=executor, ctx=context)
    assert json.loads(answer)[:3] == ["s3cret 'x' $HOME\n", 'from ctx', None]
    assert 's3cret' not in repr(backend.commands)
    assert [name for name in staged(folder) if name.startswith('.run')] == []


def test_local_variables_are_those_of_the_process(package: Any, folder: Path) -> None:
    executor = WorkspaceScriptExecutor(LocalWorkspaceBackend(folder), env_vars={'A': '1', 'HOME': None})
    body = 'import os\nprint(os.environ["A"], os.environ.get("HOME"))'
    assert package.run('x.py', body, executor=executor) == '1 None'


def test_nothing_is_left_of_a_run(package: Any, workspace: Workspace, folder: Path) -> None:
    quick = WorkspaceScriptExecutor(workspace, timeout=1)
    package.run('warm.py', 'print(1)', executor=WorkspaceScriptExecutor(workspace))
    package.write('SLEEP.md', '')
    body = 'import os, time\nopen(os.environ["SKILL_OUTPUT_DIR"] + "/x", "w")\nprint("p", flush=True)\ntime.sleep(60)'
    package.write('slow.py', body)
    package.write('big.py', 'print("x" * 12_000_000)')
    assert package.run('fail.py', 'import sys\nsys.exit(2)', executor=quick, stdin='x') == 'Script exited with code 2'
    with pytest.raises(TimeoutError, match=r'ran longer than 1 second'):
        package.run('slow.py', executor=quick, stdin='x')
    assert '10 MiB' in package.run('big.py', executor=WorkspaceScriptExecutor(workspace), stdin='x')
    assert [
        name for name in staged(folder) if name not in ('.gitignore', f'demo-{package_digest(package.directory)[:12]}')
    ] == []


def test_a_copy_that_is_gone_is_staged_again(package: Any, workspace: Workspace, folder: Path) -> None:
    executor = WorkspaceScriptExecutor(workspace)
    assert package.run('x.py', 'print(1)', executor=executor) == '1'
    shutil.rmtree(folder / '.skills')
    assert package.run('x.py', executor=executor, stdin='x') == '1'


def test_a_link_where_the_copy_belongs_is_replaced(
    package: Any, workspace: Workspace, folder: Path, tmp_path: Path
) -> None:
    package.write('x.py', 'print(1)')
    (tmp_path / 'elsewhere').mkdir()
    (folder / '.skills').mkdir()
    root = folder / '.skills' / f'demo-{package_digest(package.directory)[:12]}'
    root.symlink_to(tmp_path / 'elsewhere')
    assert package.run('x.py', executor=WorkspaceScriptExecutor(workspace)) == '1'
    assert not root.is_symlink()
    assert list((tmp_path / 'elsewhere').iterdir()) == []


def test_two_runs_at_once_stage_without_harm(package: Any, workspace: Workspace, folder: Path) -> None:
    script = package.script('x.py', 'print(1)', executor=WorkspaceScriptExecutor(workspace))

    async def both() -> list[Any]:
        return await asyncio.gather(*(script.run(None) for _ in range(4)))

    assert asyncio.run(both()) == ['1'] * 4
    root = folder / '.skills' / f'demo-{package_digest(package.directory)[:12]}'
    assert staged(folder) == ['.gitignore', root.name]
    assert sorted(path.name for path in root.iterdir()) == ['SKILL.md', 'x.py']


def test_a_workspace_without_tar(package: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / 'bin'
    programs.mkdir()
    for name in ['sh', 'mkdir', 'rm', 'mv', 'cp', 'chmod', 'base64', 'dd', 'find', 'wc', 'readlink', 'cat', 'dirname']:
        (programs / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv('PATH', str(programs))
    package.write('tool', '#!/bin/sh\necho tool', 0o755)
    assert (
        package.run('x.sh', 'echo hi; "$SKILL_DIR/tool"', executor=WorkspaceScriptExecutor(CommandsOnly(folder)))
        == 'hi\ntool'
    )


def test_stage_gives_the_folder_for_the_instructions(package: Any, workspace: Workspace, folder: Path) -> None:
    executor = WorkspaceScriptExecutor(workspace, stage_dir='deep/er')
    package.write('a.md', 'A')

    async def stage() -> str | None:
        return await executor.stage(package.directory, 'demo', None)

    path = asyncio.run(stage())
    assert path == str(folder / 'deep/er' / f'demo-{package_digest(package.directory)[:12]}')
    assert path is not None
    assert Path(path, 'a.md').read_text() == 'A'
    assert asyncio.run(stage()) == path


def test_the_runs_own_workspace_is_used(package: Any, folder: Path) -> None:
    script = package.script('x.py', SHOW, executor=WorkspaceScriptExecutor())
    agent = Agent(TestModel(call_tools=['go']), deps_type=None)

    @agent.tool
    async def go(ctx: RunContext[None]) -> Any:
        return await script.run(ctx, ['a'])

    result = asyncio.run(agent.run('go', workspace=LocalWorkspaceBackend(folder)))
    assert str(folder) in result.output


def context(workspace: Workspace | None) -> RunContext[None]:
    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    if workspace is not None:
        ctx.workspace = workspace
    return ctx


class FilesOnly(WorkspaceBackend):
    """A workspace without commands."""

    @property
    def ref(self) -> None:
        return None

    async def working_dir(self) -> str:
        return '/'


@pytest.mark.parametrize(
    ('make', 'problem'),
    [
        (lambda folder: None, 'this run has no workspace'),
        (lambda folder: ReadOnlyWorkspace(Workspace(LocalWorkspaceBackend(folder))), 'is read-only'),
        (lambda folder: Workspace(FilesOnly()), 'cannot run commands'),
    ],
)
def test_a_workspace_that_cannot(package: Any, folder: Path, make: Any, problem: str) -> None:
    executor = WorkspaceScriptExecutor()
    script = package.script('x.py', 'print(1)', executor=executor)
    with pytest.warns(UserWarning, match=problem):
        answer = asyncio.run(script.run(context(make(folder))))
    assert answer.startswith('x.py was not run: ')
    assert problem in answer
    with pytest.warns(UserWarning, match=problem):
        assert asyncio.run(executor.stage(package.directory, 'demo', context(make(folder)))) is None


def test_no_context_at_all(package: Any) -> None:
    with pytest.warns(UserWarning, match='no workspace'):
        assert 'no workspace' in package.run('x.py', 'print(1)', executor=WorkspaceScriptExecutor())


def test_a_workspace_that_is_gone(package: Any, folder: Path) -> None:
    executor = WorkspaceScriptExecutor(LocalWorkspaceBackend(folder / 'never'))
    assert 'does not exist' in package.run('x.py', 'print(1)', executor=executor)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        assert asyncio.run(executor.stage(package.directory, 'demo', None)) is None
    assert 'could not be put into the workspace' in str(caught[0].message)


def test_a_full_or_unwritable_workspace(package: Any, folder: Path) -> None:
    (folder / '.skills').write_text('a file')
    answer = package.run('x.py', 'print(1)', executor=WorkspaceScriptExecutor(LocalWorkspaceBackend(folder)))
    assert answer.startswith('x.py ')
    assert answer != '1'


def test_an_approved_script_runs_from_what_was_approved(package: Any, workspace: Workspace, folder: Path) -> None:
    package.write('x.py', 'import os\nprint(sorted(os.listdir(os.environ["SKILL_DIR"])))')
    executor = WorkspaceScriptExecutor(workspace)
    package.run('x.py', executor=executor)
    root = folder / '.skills' / f'demo-{package_digest(package.directory)[:12]}'
    (root / 'json.py').write_text('planted')
    approved = package_digest(package.directory)
    assert package.run('x.py', executor=executor, approved_digest=approved) == "['SKILL.md', 'x.py']"
    assert staged(folder) == ['.gitignore', root.name]
    package.write('other.md', 'changed')
    answer = package.run('x.py', executor=executor, approved_digest=approved)
    assert answer == 'x.py was not run: the files of its skill have changed.'


PNG = b'\x89PNG\r\n\x1a\n' + b'\0' * 20


def test_outputs_come_back(package: Any, workspace: Workspace, folder: Path) -> None:
    body = (
        'import os\nos.chdir(os.environ["SKILL_OUTPUT_DIR"])\n'
        f'open("a.png", "wb").write({PNG!r})\nopen("b.txt", "w").write("text")\nprint("done")\n'
    )
    executor = WorkspaceScriptExecutor(workspace, collect_outputs=True)
    text, image = package.run('x.py', body, executor=executor)
    assert (
        text
        == 'done\n\nFiles that the script left:\n- a.png (image/png, 28 bytes)\n- b.txt (text/plain, 4 bytes):\ntext'
    )
    assert image == BinaryContent(PNG, media_type='image/png', identifier='a.png')
    assert package.run('y.py', 'print(1)', executor=executor) == '1'
    assert [name for name in staged(folder) if name.startswith('.run')] == []


def test_dependencies_are_prepared_in_the_workspace(package: Any, index: Path, folder: Path) -> None:
    backend = LocalWorkspaceBackend(
        folder, env={name: os.environ[name] for name in os.environ if name.startswith('UV_')}
    )
    assert package.run('x.py', SCRIPT, ['a'], executor=WorkspaceScriptExecutor(backend)) == "42 ['a'] True True"


def test_cancelling_ends_the_script(package: Any, folder: Path, tmp_path: Path) -> None:
    executor = WorkspaceScriptExecutor(LocalWorkspaceBackend(folder))
    script = package.script('x.sh', 'sleep 60 & echo $$ $! > "$1"; wait\n', executor=executor)
    cancel_when_started(script, tmp_path)
    assert [name for name in staged(folder) if name.startswith('.run')] == []


@pytest.mark.parametrize(
    ('options', 'error'),
    [
        ({'cwd': 'script'}, ValueError),
        ({'stage_dir': ''}, ValueError),
        ({'workspace': '.'}, TypeError),
        ({'timeout': -1}, ValueError),
    ],
)
def test_options_that_are_wrong(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        WorkspaceScriptExecutor(**options)
