"""Real counterparts: git's own HTTP server with faults to switch on, S3 by moto, and a proxy that cuts connections."""

from __future__ import annotations

import base64
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def git(*args: str, cwd: Path | None = None) -> str:
    """Run git with a throw-away identity and no user configuration."""
    env = os.environ | {
        'GIT_CONFIG_NOSYSTEM': '1',
        'GIT_CONFIG_GLOBAL': os.devnull,
        'GIT_AUTHOR_NAME': 'a',
        'GIT_AUTHOR_EMAIL': 'a@example.com',
        'GIT_COMMITTER_NAME': 'a',
        'GIT_COMMITTER_EMAIL': 'a@example.com',
    }
    return subprocess.run(['git', *args], cwd=cwd, env=env, check=True, capture_output=True, text=True).stdout.strip()


class Repo:
    """An upstream repository with a working tree, to commit to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        git('init', '-q', '-b', 'main', cwd=path)
        git('config', 'uploadpack.allowFilter', 'true', cwd=path)

    @property
    def url(self) -> str:
        return self.path.as_uri()

    def commit(self, message: str = 'change', *options: str) -> str:
        git('add', '-A', cwd=self.path)
        git('commit', '-qm', message, '--allow-empty', *options, cwd=self.path)
        return git('rev-parse', 'HEAD', cwd=self.path)

    def write(self, name: str, content: str | bytes) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@dataclass
class GitHost:
    """The repositories in a folder over smart HTTP on 127.0.0.1, by git's own `http-backend`."""

    folder: Path
    token: str | None = None
    """Needed as user or password, if given."""
    delay: float = 0.0
    """Seconds before each answer."""
    cut: int | None = None
    """Bytes after which the body of an answer to a POST ends."""
    refuse: int | None = None
    """A status that every request gets."""
    redirect: str | None = None
    """Another host to send every request to."""
    smart: bool = True
    """Whether git's protocol is spoken; if not, files are served as they are."""
    requests: list[str] = field(default_factory=list[str])
    credentials: list[str] = field(default_factory=list[str])
    url: str = ''

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(f'{handler.command} {handler.path}')
        body = handler.rfile.read(int(handler.headers.get('Content-Length') or 0))
        kind, _, value = handler.headers.get('Authorization', '').partition(' ')
        credential = base64.b64decode(value).decode() if kind.lower() == 'basic' else value
        if credential:
            self.credentials.append(credential)
        time.sleep(self.delay)
        if self.redirect is not None:
            self._answer(handler, 302, {'Location': self.redirect + handler.path}, b'')
        elif self.refuse is not None:
            # Git shows this text, so it is a way for a secret into a message.
            told = f'bad {credential.rpartition(":")[2]}'.encode()
            self._answer(handler, self.refuse, {'Content-Type': 'text/plain'}, told)
        elif self.token is not None and self.token not in credential.split(':'):
            self._answer(handler, 401, {'WWW-Authenticate': 'Basic realm="x"'}, b'')
        elif not self.smart:
            self._serve_file(handler)
        else:
            self._serve(handler, body)

    def _serve_file(self, handler: BaseHTTPRequestHandler) -> None:
        path = self.folder / handler.path.partition('?')[0].lstrip('/')
        found = path.is_file()
        self._answer(handler, 200 if found else 404, {}, path.read_bytes() if found else b'')

    def _serve(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path, _, query = handler.path.partition('?')
        env = os.environ | {
            'GIT_PROJECT_ROOT': str(self.folder),
            'GIT_HTTP_EXPORT_ALL': '1',
            'REQUEST_METHOD': handler.command,
            'PATH_INFO': path,
            'QUERY_STRING': query,
            'CONTENT_TYPE': handler.headers.get('Content-Type', ''),
            'CONTENT_LENGTH': str(len(body)),
            'REMOTE_ADDR': '127.0.0.1',
            'GIT_PROTOCOL': handler.headers.get('Git-Protocol', ''),
            'HTTP_CONTENT_ENCODING': handler.headers.get('Content-Encoding', ''),
        }
        backend = Path(git('--exec-path')) / 'git-http-backend'
        answer = subprocess.run([str(backend)], input=body, env=env, capture_output=True).stdout
        head, _, content = answer.partition(b'\r\n\r\n')
        fields = dict(line.split(': ', 1) for line in head.decode().splitlines() if ': ' in line)
        status = int(fields.pop('Status', '200').split()[0])
        if self.cut is not None and handler.command == 'POST':
            fields['Content-Length'] = str(len(content))
            content = content[: self.cut]
        self._answer(handler, status, fields, content)

    @staticmethod
    def _answer(handler: BaseHTTPRequestHandler, status: int, fields: dict[str, str], content: bytes) -> None:
        handler.send_response(status)
        for name, value in {'Content-Length': str(len(content)), **fields}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)
        handler.close_connection = True


@contextmanager
def git_host(folder: Path, **options: Any) -> Iterator[GitHost]:
    host = GitHost(folder, **options)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host.handle(self)

        do_POST = do_GET

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.handle_error = lambda request, client_address: None  # who asked has gone away, as is wanted here
    threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.02}, daemon=True).start()
    host.url = f'http://127.0.0.1:{server.server_port}'
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()


class GitShim:
    """A `git` first on PATH that notes its process and arguments, then does its work."""

    def __init__(self, folder: Path, monkeypatch: Any) -> None:
        real = shutil.which('git')
        folder.mkdir()
        self._log = folder / 'argv'
        shim = folder / 'git'
        shim.write_text(f'#!/bin/sh\necho "$$ $*" >> {self._log}\nexec {real} "$@"\n')
        shim.chmod(0o755)
        monkeypatch.setenv('PATH', f'{folder}{os.pathsep}{os.environ["PATH"]}')

    def _lines(self) -> list[str]:
        return self._log.read_text().splitlines() if self._log.exists() else []

    @property
    def calls(self) -> list[str]:
        """The arguments of each, in order."""
        return [line.partition(' ')[2] for line in self._lines()]

    @property
    def pids(self) -> list[int]:
        return [int(line.partition(' ')[0]) for line in self._lines()]

    def forget(self) -> None:
        self._log.unlink(missing_ok=True)


class CuttingProxy:
    """A TCP proxy that drops a connection after so many bytes of answer, for the first so many connections."""

    def __init__(self, port: int) -> None:
        self._target = ('127.0.0.1', port)
        self.after: int | None = None
        self.times = 0
        self.cut = 0
        self._server = socket.create_server(('127.0.0.1', 0), backlog=64)
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server:
            threading.Thread(target=self._pump, args=(client, server, None), daemon=True).start()
            limit = self.after if self.cut < self.times else None
            if self._pump(server, client, limit):
                self.cut += 1
                for end in (client, server):  # close() alone does nothing while the other thread reads from it
                    end.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _pump(source: socket.socket, target: socket.socket, limit: int | None) -> bool:
        passed = 0
        try:
            while chunk := source.recv(4096):
                if limit is not None and passed + len(chunk) > limit:
                    target.sendall(chunk[: limit - passed])
                    return True
                passed += len(chunk)
                target.sendall(chunk)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        return False

    def stop(self) -> None:
        self._server.close()
