"""A small S3 over HTTP that takes its time: lists and gives objects of one bucket from memory, so that it costs little.

    python benchmarks/slow_s3.py MILLISECONDS OBJECTS

Prints its port. `GET /_count` gives how many listings and objects were asked for since the last time.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

_FILES = 10


def objects(count: int) -> dict[str, bytes]:
    """`count` objects: packages of a `SKILL.md` and nine other files of 4 KB."""
    made: dict[str, bytes] = {}
    for number in range(count):
        skill, file = divmod(number, _FILES)
        name = f'skill-{skill:04}'
        text = f'---\nname: {name}\ndescription: Skill {skill}.\n---\n\nDo it.\n'
        made[f'skills/{name}/{"SKILL.md" if file == 0 else f"references/{file}.md"}'] = (
            text.encode() if file == 0 else f'{number}\n'.encode() * 1_000
        )
    return made


class Handler(BaseHTTPRequestHandler):
    """Answers as S3 does, as far as boto3 needs it for reading."""

    protocol_version = 'HTTP/1.1'
    wbufsize = 1 << 16  # head and body in one packet, or the client waits for the second
    disable_nagle_algorithm = True
    delay = 0.0
    stored: dict[str, bytes] = {}
    counts = {'list': 0, 'get': 0, 'head': 0}

    def do_GET(self) -> None:
        """A listing, an object, or the counts."""
        split = urlsplit(self.path)
        if split.path == '/_count':
            self._answer(200, json.dumps(self.counts).encode())
            self.counts.update(dict.fromkeys(self.counts, 0))
            return
        time.sleep(self.delay)
        _, _, key = unquote(split.path).lstrip('/').partition('/')
        if not key:
            self._list(parse_qs(split.query))
        elif key in self.stored:
            self.counts['head' if self.command == 'HEAD' else 'get'] += 1
            self._answer(200, self.stored[key], etag(self.stored[key]))
        else:
            self._answer(404, b'<Error><Code>NoSuchKey</Code></Error>')

    do_HEAD = do_GET

    def _list(self, query: dict[str, list[str]]) -> None:
        self.counts['list'] += 1
        prefix = query.get('prefix', [''])[0]
        items = ''.join(
            f'<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>'
            f'<ETag>{etag(body)}</ETag><Size>{len(body)}</Size><StorageClass>STANDARD</StorageClass></Contents>'
            for key, body in sorted(self.stored.items())
            if key.startswith(prefix)
        )
        body = f'<ListBucketResult><IsTruncated>false</IsTruncated>{items}</ListBucketResult>'
        self._answer(200, body.encode())

    def _answer(self, status: int, body: bytes, tag: str = '') -> None:
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        if tag:
            self.send_header('ETag', tag)
            self.send_header('Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT')
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def etag(body: bytes) -> str:
    """What S3 says of a content."""
    return f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'


def main() -> None:
    """Serve until killed."""
    Handler.delay = float(sys.argv[1]) / 1_000
    Handler.stored = objects(int(sys.argv[2]))
    server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == '__main__':
    main()
