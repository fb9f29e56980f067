"""Running one git command: with a time limit, in a process group of its own that is killed as a whole, asking nobody."""

from __future__ import annotations

import atexit
import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from .git_auth import GitEnvironment
from .places import ANOTHER_PLACE
from .work import STARTING, calling_if_cancelled, check_cancelled, run_all

_POLL_SECONDS = 0.1
_GRACE_SECONDS = 0.2
_KEPT_ERROR_BYTES = 64 * 1024
_TOLD_LINES = 6
_TOLD = 600
_PROGRESS = re.compile(r'\d% \(\d+/\d+\)|^(remote: )?(Enumerating|Counting|Compressing|Total|Receiving|Resolving)\b')
_CONTROL = re.compile(r'[\x00-\x08\x0b-\x1f\x7f]')

_running: set[subprocess.Popen[bytes]] = set()


class GitError(RuntimeError):
    """A git command failed; the message says which, why and what to try, and holds no credentials."""

    def __init__(self, message: str, *, timed_out: bool = False, refused: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        """Whether it was ended because it took too long."""
        self.refused = refused
        """Whether the host wants other credentials."""


class GitRunner:
    """Runs git for one registry."""

    def __init__(self, environment: GitEnvironment, folder: Path) -> None:
        """`folder` is where the commands start: no repository's, so that no other configuration is read."""
        self._environment = environment
        self._folder = folder

    def run(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes = b'',
        env: Mapping[str, str] | None = None,
        on_error_line: Callable[[str], object] | None = None,
    ) -> bytes:
        """Run `git` with these arguments and return what it printed.

        Args:
            arguments: The command and its arguments; never a secret.
            stdin: What it reads.
            env: Variables on top of the environment.
            on_error_line: Told of each line on standard error as it comes, for progress.

        Raises:
            GitError: it failed, took too long, or there is no git.
        """
        # In a thread of its own: an interrupt reaches the main thread anywhere, even between the start of a process
        # and the moment from which it can be ended.
        job = partial(self._run, arguments, stdin, env or {}, on_error_line)
        (result,) = run_all([job], 1, fail_fast=True)
        if isinstance(result, Exception):
            raise result
        return result

    def _run(
        self,
        arguments: Sequence[str],
        stdin: bytes,
        env: Mapping[str, str],
        on_error_line: Callable[[str], object] | None,
    ) -> bytes:
        with ExitStack() as stack:
            with STARTING:
                check_cancelled()
                process = self._start(
                    arguments, stdin, {'GIT_CEILING_DIRECTORIES': str(self._folder.parent)} | dict(env)
                )
                if isinstance(process, str):
                    raise GitError(process)
                stack.callback(_end, process)
                stack.enter_context(calling_if_cancelled(lambda: _kill(process)))
            reader = _Reader(process, self._environment.timeout, on_error_line)
            finished = reader.read()
        if not finished:
            raise GitError(
                f'`git {arguments[0]}` took longer than {self._environment.timeout:g} s and was ended. Is the host '
                'reachable? A large repository needs a greater timeout=.',
                timed_out=True,
            )
        if process.returncode != 0:
            raise self._explained(arguments[0], reader.error_text(), process.returncode)
        return reader.output()

    def _start(self, arguments: Sequence[str], stdin: bytes, env: Mapping[str, str]) -> subprocess.Popen[bytes] | str:
        # A frame of its own, and no exception out of it: the environment with its secrets is part of no traceback.
        with tempfile.TemporaryFile(dir=self._folder) if stdin else open(os.devnull, 'rb') as source:
            if stdin:
                source.write(stdin)
                source.seek(0)
            try:
                process = subprocess.Popen(
                    ['git', *arguments],
                    stdin=source,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=self._folder,
                    env=self._environment.variables(env),
                    start_new_session=True,  # no terminal to ask on, and a group that can be killed whole
                )
            except (OSError, ValueError) as error:  # ValueError: the environment holds what no environment can
                if isinstance(error, FileNotFoundError) and self._folder.is_dir():
                    return 'There is no git on PATH. Install git 2.31 or newer.'
                where = '' if self._folder.is_dir() else f' in {str(self._folder)!r}'
                return f'git cannot be started{where}: {getattr(error, "strerror", None) or error}.'
        _running.add(process)
        return process

    def _explained(self, command: str, error: str, status: int) -> GitError:
        error = self._environment.masked(error).replace('\r', '\n')
        lines = [_CONTROL.sub(' ', line).strip() for line in error.split('\n') if not _PROGRESS.search(line)]
        told = [line for line in lines if line.startswith(('fatal:', 'error:', 'remote:'))] or list(filter(None, lines))
        text = ' '.join(told[-_TOLD_LINES:])[-_TOLD:] or f'exit status {status}'
        hint = _hint(text, self._environment.credentials is not None)
        return GitError(
            f'`git {command}` failed: {text}{"" if text.endswith(".") else "."}{hint}', refused=_is_refusal(text)
        )


class _Reader:
    """Reads both streams of a process until it ends, its time is up, or the sync is given up."""

    def __init__(
        self, process: subprocess.Popen[bytes], timeout: float, on_error_line: Callable[[str], object] | None
    ) -> None:
        self._process, self._until, self._on_error_line = process, time.monotonic() + timeout, on_error_line
        self._output: list[bytes] = []
        self._error = b''
        self._line = b''

    def read(self) -> bool:
        """Read to the end; whether it came in time."""
        assert self._process.stdout is not None and self._process.stderr is not None
        with selectors.DefaultSelector() as selector:
            for stream in (self._process.stdout, self._process.stderr):
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ)
            ended: float | None = None
            while selector.get_map():
                check_cancelled()
                now = time.monotonic()
                if ended is None and self._process.poll() is not None:
                    ended = now
                if ended is not None and now - ended > _GRACE_SECONDS:
                    return True  # a child that it left behind holds a stream; what git had to say is here
                if now > self._until:
                    return False
                for key, _ in selector.select(_POLL_SECONDS):
                    chunk = os.read(key.fd, 1 << 16)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is self._process.stdout:
                        self._output.append(chunk)
                    else:
                        self._take_error(chunk)
        return self._wait()

    def _wait(self) -> bool:
        """Wait for a process that has closed its streams."""
        while self._process.poll() is None:
            check_cancelled()
            if time.monotonic() > self._until:
                return False
            time.sleep(0.005)
        return True

    def _take_error(self, chunk: bytes) -> None:
        self._error = (self._error + chunk)[-_KEPT_ERROR_BYTES:]
        if self._on_error_line is None:
            return
        *lines, self._line = (self._line + chunk).replace(b'\r', b'\n').split(b'\n')
        for line in lines:
            self._on_error_line(line.decode('utf-8', errors='replace'))

    def output(self) -> bytes:
        return b''.join(self._output)

    def error_text(self) -> str:
        return self._error.decode('utf-8', errors='replace')


def _is_refusal(text: str) -> bool:
    signs = ('authentication failed', 'could not read username', 'could not read password', 'error: 403', 'error: 401')
    return any(sign in text.lower() for sign in signs)


def _hint(text: str, had_credentials: bool) -> str:
    """What to try, for the failures that are common."""
    lowered = text.lower()
    if _is_refusal(text):
        if had_credentials:
            return ' The credentials were refused: are they still valid, and do they cover this repository?'
        return ' If it is private, pass token=, or ssh_key_file= with an SSH address; GITHUB_TOKEN counts for https://github.com.'
    if 'not found' in lowered or 'does not exist' in lowered:
        return ' Is the address right? A private repository also looks like this to who may not see it.'
    if 'permission denied (publickey)' in lowered:
        return ' Pass ssh_key_file=, or load the key into the SSH agent.'
    if 'host key verification failed' in lowered:
        return ' Nobody can be asked to trust the host: add its key to known_hosts.'
    if 'no space left' in lowered or 'unable to write' in lowered:
        return f' Is there room on the disk? {ANOTHER_PLACE}'
    if 'dubious ownership' in lowered:
        return ' It is a folder of another user: `git config --global --add safe.directory` with its path allows that.'
    if 'could not resolve host' in lowered or 'failed to connect' in lowered or 'connection' in lowered:
        return ' Is the host reachable from here?'
    return ''


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that still runs with all that it has started, and let go of its streams."""
    if process.poll() is None:
        _kill(process)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    _running.discard(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


_owner = os.getpid()


@atexit.register
def _end_all() -> None:
    if os.getpid() == _owner:  # not those of the parent of a forked process
        for process in list(_running):
            _end(process)
