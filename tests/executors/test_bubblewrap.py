"""Real sandboxes, and real attempts to get out of them; skipped where bubblewrap is not installed."""

from __future__ import annotations

import asyncio
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import BinaryContent

from pydantic_ai_skills.executors import BubblewrapScriptExecutor, bubblewrap

from .test_inline import SCRIPT, index, make_wheel

__all__ = ['index', 'make_wheel']


def can_sandbox() -> bool:
    if shutil.which('bwrap') is None:
        return False
    return (
        subprocess.run(['bwrap', '--unshare-user', '--ro-bind', '/', '/', 'true'], capture_output=True).returncode == 0
    )


pytestmark = pytest.mark.skipif(
    not can_sandbox(), reason='needs bubblewrap (apt install bubblewrap) and user namespaces'
)

# Tries what it is told, a Python expression each, and says what came of it.
TRY = (
    'import json, os, socket, subprocess, sys\nresults = {}\n'
    'for attempt in sys.argv[1:]:\n'
    '    try:\n        results[attempt] = str(eval(attempt))\n'
    '    except BaseException as error:\n        results[attempt] = f"refused: {type(error).__name__}"\n'
    'print(json.dumps(results))\n'
)


def tried(package: Any, *attempts: str, executor: BubblewrapScriptExecutor | None = None) -> dict[str, str]:
    answer = package.run('try.py', TRY, list(attempts), executor=executor or BubblewrapScriptExecutor())
    results = json.loads(answer)
    assert isinstance(results, dict)
    return results


def refused(package: Any, *attempts: str, executor: BubblewrapScriptExecutor | None = None) -> None:
    results = tried(package, *attempts, executor=executor)
    assert len(results) == len(attempts)
    for attempt, result in results.items():
        assert result.startswith('refused: '), f'{attempt} gave {result}'


def test_a_script_runs_with_arguments_and_stdin_in_a_scratch_folder(package: Any) -> None:
    package.write('references/data.txt', 'D')
    body = (
        'import json, os, sys\nopen("here.txt", "w").write("x")\n'
        'data = open(os.path.join(os.environ["SKILL_DIR"], "references/data.txt")).read()\n'
        'print(json.dumps([sys.argv[1:], sys.stdin.read(), data, os.getcwd(), os.environ["HOME"], os.environ["TMPDIR"]]))\n'
    )
    answer = package.run('scripts/x.py', body, ['é', 1], stdin='in\n', executor=BubblewrapScriptExecutor())
    argv, stdin, data, *places = json.loads(answer)
    assert (argv, stdin, data) == (['é', '1'], 'in\n', 'D')
    assert len(set(places)) == 1
    assert not Path(places[0]).exists()
    assert not (package.directory / 'here.txt').exists()


def test_it_starts_where_it_is_told(package: Any) -> None:
    package.write('scripts/where.sh', 'pwd')
    assert package.run('scripts/where.sh', executor=BubblewrapScriptExecutor(cwd='skill')) == str(package.directory)
    script = BubblewrapScriptExecutor(cwd='script')
    assert package.run('scripts/where.sh', executor=script) == str(package.directory / 'scripts')


def test_the_skill_is_at_its_own_path_and_modules_are_found(package: Any) -> None:
    package.write('scripts/__init__.py', '')
    package.write('scripts/helper.py', 'VALUE = 3')
    package.write('run.py', 'import sys\nfrom scripts.helper import VALUE\nprint(VALUE, __file__)')
    assert package.run('run.py', executor=BubblewrapScriptExecutor()) == f'3 {package.directory / "run.py"}'


def test_files_of_the_host_cannot_be_read(package: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / 'home'
    (home / '.ssh').mkdir(parents=True)
    (home / '.ssh/id_rsa').write_text('PRIVATE')
    monkeypatch.setenv('HOME', str(home))
    other = package.directory.parent / 'other'
    other.mkdir()
    (other / 'SKILL.md').write_text('OTHER')
    project = Path(__file__).resolve()
    refused(
        package,
        f'open({str(home / ".ssh/id_rsa")!r}).read()',
        f'os.listdir({str(home)!r})',
        'open("/etc/shadow").read()',
        'open("/etc/passwd").read()',
        f'open({str(other / "SKILL.md")!r}).read()',
        f'open({str(project)!r}).read()',
        f'os.listdir({str(Path.cwd())!r}) if not os.environ["PATH"].startswith({str(Path.cwd())!r}) else open("/none")',
        'os.listdir("/home")',
        'os.listdir("/var")',
        'os.listdir("/sys")',
        'open("/proc/1/root/etc/shadow").read()',
        'open("/dev/sda").read()',
        'open("/dev/vda").read()',
    )
    seen = tried(package, 'os.listdir(os.path.dirname(os.environ["SKILL_DIR"]))', 'os.listdir("/root")')
    assert seen['os.listdir(os.path.dirname(os.environ["SKILL_DIR"]))'] == "['demo']", 'of the library, only the skill'


def test_what_is_readable_and_nothing_beside_it(package: Any, tmp_path: Path) -> None:
    (tmp_path / 'shown').mkdir()
    (tmp_path / 'shown/a').write_text('A')
    (tmp_path / 'hidden').write_text('H')
    executor = BubblewrapScriptExecutor(readable=[tmp_path / 'shown'])
    assert list(tried(package, f'open({str(tmp_path / "shown/a")!r}).read()', executor=executor).values()) == ['A']
    refused(
        package,
        f'open({str(tmp_path / "hidden")!r}).read()',
        f'open({str(tmp_path / "shown/b")!r}, "w")',
        executor=executor,
    )


def test_nothing_but_the_scratch_can_be_written(package: Any) -> None:
    package.write('note.txt', 'n')
    refused(
        package,
        'open(os.path.join(os.environ["SKILL_DIR"], "x"), "w")',
        'open(os.path.join(os.environ["SKILL_DIR"], "note.txt"), "a")',
        'os.chmod(os.path.join(os.environ["SKILL_DIR"], "note.txt"), 0o777)',
        'os.symlink("/etc", os.path.join(os.environ["SKILL_DIR"], "link"))',
        'os.link(os.path.join(os.environ["SKILL_DIR"], "note.txt"), "hard")',
        'open("/usr/bin/planted", "w")',
        'open("/planted", "w")',
        'open("/dev/planted", "w")',
        'open("/run/skill/planted", "w")',
        'open("/proc/sys/kernel/core_pattern", "w")',
        'open("/proc/sys/kernel/domainname", "w")',
        'open("/proc/self/comm", "w")',
        f'open({sys.executable + "-planted"!r}, "w")',
    )
    assert sorted(path.name for path in package.directory.iterdir()) == ['SKILL.md', 'note.txt', 'try.py']
    allowed = tried(package, 'open("x", "w").write("x")', 'open("/tmp/y", "w").write("y")', 'os.mkfifo("fifo")')
    assert not [result for result in allowed.values() if result.startswith('refused')]


def test_the_next_run_finds_nothing_of_the_last(package: Any, own_cache: Path) -> None:
    plant = (
        'import os\nos.symlink("/etc/passwd", "result.txt")\nos.mkfifo("json.py")\n'
        'open("sitecustomize.py", "w").write("print(666)")\nos.mkfifo(os.environ["SKILL_OUTPUT_DIR"] + "/fifo")\n'
    )
    look = 'import os\nprint(sorted(os.listdir(".")), sorted(os.listdir(os.environ["SKILL_OUTPUT_DIR"])))\n'
    executor = BubblewrapScriptExecutor(collect_outputs=True)
    for fields in ({}, {'from_registry': True}):
        assert package.run('plant.py', plant, executor=executor, **fields) == '(no output)'
        assert package.run('look.py', look, executor=executor, **fields) == "['out'] []"


def test_processes_and_variables_of_the_host_stay_unseen(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('HOST_SECRET', 'hush-hush')
    seen = tried(
        package,
        '[name for name in os.listdir("/proc") if name.isdigit()]',
        '"HOST_SECRET" in os.environ',
        '[name for name in os.listdir("/proc") if name.isdigit() and b"hush" in open(f"/proc/{name}/environ", "rb").read()]',
    )
    processes, *secrets = seen.values()
    assert len(json.loads(processes.replace("'", '"'))) <= 3
    assert secrets == ['False', '[]']
    refused(
        package,
        f'os.kill({os.getppid() + 100_000}, 0)',
        f'os.kill({os.getpid()}, 0)' if os.getpid() > 50 else 'os.kill(99, 0)',
    )


def test_a_secret_is_on_no_command_line(package: Any, tmp_path: Path) -> None:
    executor = BubblewrapScriptExecutor(env_vars={'A_TOKEN': 's3cret-value'}, readable=[tmp_path])
    fifo = tmp_path / 'fifo'
    os.mkfifo(fifo)
    # The script waits until the host has looked: opening a FIFO for reading works in a read-only mount too.
    script = package.script(
        'x.sh', 'cat "$1" >/dev/null; echo "$A_TOKEN"; cat /proc/[0-9]*/cmdline | grep -c "s3[c]ret"', executor=executor
    )

    def look() -> list[bytes]:
        with open(fifo, 'w'):
            return [_content(path) for path in _command_lines()]

    async def run() -> tuple[Any, list[bytes]]:
        task = asyncio.create_task(script.run(None, [str(fifo)]))
        lines = await asyncio.to_thread(look)
        return await task, lines

    answer, lines = asyncio.run(run())
    assert answer.splitlines()[:2] == ['s3cret-value', '0']
    assert any(str(fifo).encode() in line for line in lines), 'the script was running'
    assert not [line for line in lines if b's3cret-value' in line]


def _command_lines() -> list[Path]:
    return [path / 'cmdline' for path in Path('/proc').iterdir() if path.name.isdigit() and (path / 'cmdline').exists()]


def test_no_network_no_loopback_no_socket(package: Any) -> None:
    with (
        socket.create_server(('127.0.0.1', 0)) as server,
        socket.socket(socket.AF_UNIX) as unix,
        tempfile.TemporaryDirectory() as folder,
    ):
        path = os.path.join(folder, 's')
        unix.bind(path)
        unix.listen()
        connect = f'socket.create_connection(("127.0.0.1", {server.getsockname()[1]}), timeout=3)'
        refused(
            package,
            connect,
            f'socket.socket(socket.AF_UNIX).connect({path!r})',
            'socket.socket(socket.AF_UNIX).connect("\\0abstract")',
            'socket.create_connection(("192.0.2.1", 80), timeout=3)',
            'socket.getaddrinfo("example.com", 80)[0]',
            'socket.socket(socket.AF_INET, socket.SOCK_DGRAM)',
            executor=BubblewrapScriptExecutor(readable=[folder]),
        )
        with_network = BubblewrapScriptExecutor(network=True)
        assert tried(package, connect, executor=with_network)[connect].startswith('<socket')


def test_a_namespace_of_its_own_uncovers_nothing(package: Any) -> None:
    body = (
        'unshare -Urm sh -c "umount -l /tmp; umount -l /; ls /root/.ssh /etc/shadow /home" 2>&1\n'
        'unshare -Um sh -c "umount -l /; ls /etc/shadow" 2>&1\n'
        'unshare -Urpf --mount-proc sh -c "echo NEW-PROC" 2>&1\n'
        'ls -d /etc/shadow 2>&1; cat /etc/hostname 2>&1; exit 0\n'
    )
    answer = package.run('x.sh', body, executor=BubblewrapScriptExecutor())
    assert 'NEW-PROC' not in answer
    assert answer.count("cannot access '/etc/shadow'") >= 1
    assert '/etc/shadow' not in answer.splitlines()


def test_what_a_script_started_ends_with_it(package: Any, tmp_path: Path) -> None:
    body = 'setsid sh -c "exec sleep 4242" </dev/null >/dev/null 2>&1 &\necho started\n'
    assert package.run('x.sh', body, executor=BubblewrapScriptExecutor()) == 'started'
    assert_gone(b'4242')


def assert_gone(marker: bytes) -> None:
    """The kernel takes a moment to end a namespace: wait for each process whose command line has `marker`."""
    for path in _command_lines():
        if marker in _content(path):
            try:
                descriptor = os.pidfd_open(int(path.parent.name))
            except ProcessLookupError:
                continue
            assert select.select([descriptor], [], [], 10)[0], f'{path.parent} lives on'
            os.close(descriptor)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b''


def test_a_fork_bomb_ends_at_the_timeout(package: Any) -> None:
    body = 'import os, time\nprint("begun", flush=True)\nfor _ in range(200):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(4343)\ntime.sleep(4343)\n'
    with pytest.raises(TimeoutError, match='begun'):
        package.run('bomb.py', body, executor=BubblewrapScriptExecutor(timeout=3))
    assert_gone(b'bomb.py')


def test_memory_of_a_process_is_bounded(package: Any) -> None:
    body = 'b"x" * (600 * 2**20)\nprint("fine")'
    assert 'MemoryError' in package.run('x.py', body, executor=BubblewrapScriptExecutor(memory_mb=256))
    assert package.run('x.py', executor=BubblewrapScriptExecutor(memory_mb=None)) == 'fine'


@pytest.mark.parametrize('target', ['x', '/tmp/x', '/dev/shm/x'])
def test_disk_is_bounded(package: Any, target: str) -> None:
    body = (
        'import sys\nfor n in range(100):\n    with open(f"{sys.argv[1]}{n}", "wb") as file: file.write(b"x" * 2**20)\n'
    )
    answer = package.run('x.py', body, [target], executor=BubblewrapScriptExecutor(disk_mb=20))
    assert 'No space left on device' in answer


def test_one_file_is_bounded_too(package: Any) -> None:
    body = 'import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nopen("/run/skill/outputs", "wb").write(b"x" * (30 * 2**20))'
    answer = package.run('x.py', body, executor=BubblewrapScriptExecutor(disk_mb=8, collect_outputs=True))
    text = answer if isinstance(answer, str) else answer[0]
    assert 'File too large' in text


PNG = b'\x89PNG\r\n\x1a\n' + b'\0' * 20


def test_outputs_come_back(package: Any) -> None:
    body = (
        'import os\nos.chdir(os.environ["SKILL_OUTPUT_DIR"])\nos.mkdir("sub")\n'
        f'open("chart.png", "wb").write({PNG!r})\nopen("sub/report.md", "w").write("# é\\n")\n'
        'open("data.bin", "wb").write(b"\\0\\1")\nos.symlink("/etc/passwd", "link")\nos.mkfifo("fifo")\nprint("done")\n'
    )
    answer = package.run('x.py', body, executor=BubblewrapScriptExecutor(collect_outputs=True))
    assert answer == [
        'done\n\nFiles that the script left:\n- chart.png (image/png, 28 bytes)\n'
        '- data.bin (application/octet-stream, 2 bytes)\n- sub/report.md (text/markdown, 5 bytes):\n# é\n',
        BinaryContent(PNG, media_type='image/png', identifier='chart.png'),
    ]
    assert package.run('x.py', executor=BubblewrapScriptExecutor()) == 'done'


def test_an_archive_that_the_script_forged(package: Any) -> None:
    body = (
        'import io, os, sys, tarfile\n'
        'tar = tarfile.open("/run/skill/outputs", "w")\n'
        'info = tarfile.TarInfo("../../../etc/evil"); info.size = 4; tar.addfile(info, io.BytesIO(b"evil"))\n'
        'link = tarfile.TarInfo("link"); link.type = tarfile.SYMTYPE; link.linkname = "/etc/passwd"; tar.addfile(link)\n'
        'tar.close()\nsys.stdout.flush()\nos.rmdir(os.environ["SKILL_OUTPUT_DIR"])\n'
    )
    answer = package.run('x.py', body, executor=BubblewrapScriptExecutor(collect_outputs=True))
    assert isinstance(answer, str)
    assert not Path('/etc/evil').exists()


def test_a_registry_skill_keeps_its_own_path(package: Any) -> None:
    body = 'import os\nprint(os.environ["SKILL_DIR"], __file__)'
    answer = package.run('scripts/x.py', body, executor=BubblewrapScriptExecutor(), from_registry=True)
    assert answer == f'{package.directory} {package.directory / "scripts/x.py"}'


def test_dependencies_are_prepared_in_a_sandbox_and_mounted(package: Any, index: Path, own_cache: Path) -> None:
    body = (
        SCRIPT.partition('import os')[0]
        + 'import skilldep, os, sys\nprint(skilldep.VALUE, sys.argv[1:])\nopen(os.path.join(sys.prefix, "x"), "w")\n'
    )
    package.write('x.py', body)
    first = package.run('x.py', args=['a'], executor=BubblewrapScriptExecutor())
    assert first.startswith("42 ['a']\n")
    assert 'Read-only file system' in first
    for wheel in index.iterdir():
        wheel.unlink()
    assert package.run('x.py', args=['b'], executor=BubblewrapScriptExecutor()).startswith("42 ['b']\n")
    assert len(list((own_cache / 'environments').iterdir())) == 1


def test_preparing_runs_no_code_and_reads_no_file_of_the_host(package: Any, index: Path, tmp_path: Path) -> None:
    project = tmp_path / 'project'
    project.mkdir()
    (project / 'setup.py').write_text(
        f'open({str(tmp_path / "ran")!r}, "w")\nimport setuptools; setuptools.setup(name="p", version="1")'
    )
    body = f'# /// script\n# dependencies = ["p @ file://{project}"]\n# ///\nprint(1)\n'
    answer = package.run('x.py', body, executor=BubblewrapScriptExecutor())
    assert answer.startswith('x.py was not run: preparing its dependencies')
    assert not (tmp_path / 'ran').exists()


def test_programs_that_are_missing_or_launchers_elsewhere(
    package: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'bin').mkdir()
    shim = tmp_path / 'bin/skillfish'
    shim.write_text('#!/bin/sh\necho shim')
    shim.chmod(0o755)
    shutil.copy('/bin/echo', tmp_path / 'bin/skillecho')
    monkeypatch.setenv('PATH', f'{tmp_path / "bin"}:{os.environ["PATH"]}')
    executor = BubblewrapScriptExecutor()
    assert package.run('x', '#!/usr/bin/env skillfish\n', executor=executor) == (
        'x was not run: it needs skillfish, which is not installed here.'
    )
    assert (
        package.run('y', '#!/usr/bin/env skillecho\n', ['arg'], executor=executor) == f'{package.directory / "y"} arg'
    )


def test_failures_are_text(package: Any) -> None:
    executor = BubblewrapScriptExecutor()
    assert (
        package.run('x.py', 'import sys\nprint(1)\nsys.exit(3)', executor=executor) == '1\n\nScript exited with code 3'
    )
    assert package.run('k.sh', 'kill -9 $$', executor=executor) == 'Script exited with code 137 (killed by SIGKILL)'
    Path(package.script('gone.py', '').uri).unlink()
    assert package.run('gone.py', executor=executor) == 'gone.py was not run: its file is gone.'
    assert 'it printed more than 10 MiB' in package.run('big.py', 'print("x" * 12_000_000)', executor=executor)


def test_cancelling_ends_the_sandbox(package: Any) -> None:
    script = package.script('x.sh', 'setsid sleep 4444 & echo begun >"$1"; wait', executor=BubblewrapScriptExecutor())
    fifo = package.directory / 'pids'
    os.mkfifo(fifo)

    async def cancelled() -> None:
        task = asyncio.create_task(script.run(None, [str(fifo)]))
        async with asyncio.timeout(30):
            while not [path for path in _command_lines() if b'4444' in _content(path)]:
                await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert_gone(b'4444')


@pytest.mark.parametrize(
    ('options', 'error', 'message'),
    [
        ({'memory_mb': 0}, ValueError, 'memory_mb must be a whole number of MiB'),
        ({'disk_mb': True}, ValueError, 'disk_mb must be'),
        ({'readable': '/usr'}, TypeError, 'readable must be a sequence'),
        ({'readable': ['/no/such/path']}, ValueError, 'not there'),
        ({'readable': ['/']}, ValueError, 'all'),
        ({'cwd': 'home'}, ValueError, 'cwd must be'),
        ({'timeout': 0}, ValueError, 'timeout'),
    ],
)
def test_options_that_are_wrong(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BubblewrapScriptExecutor(**options)


def test_without_bwrap_or_linux_it_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap.shutil, 'which', lambda program: None)
    with pytest.raises(RuntimeError, match='apt install bubblewrap'):
        BubblewrapScriptExecutor()
    monkeypatch.setattr(bubblewrap.sys, 'platform', 'darwin')
    with pytest.raises(NotImplementedError, match='needs Linux'):
        BubblewrapScriptExecutor()
