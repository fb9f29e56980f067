"""Getting objects into the folder of a generation: linked from the last one where they are the same, else downloaded."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, cast

from .s3_objects import S3Object, content_tag
from .work import Progress, check_cancelled, run_all

_AT_ONCE = 16
_ATTEMPTS = 3
_CHUNK = 1 << 20
_TOLD = 600
_USERINFO = re.compile(r'(://)[^/\s@]+@')
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class ObjectChanged(Exception):
    """An object is no longer what the listing said: somebody writes to the bucket at this moment."""


class Download:
    """Fills one folder with objects."""

    def __init__(self, client: Any, bucket: str, target: Path, progress: Progress) -> None:
        self._client = client
        self._bucket = bucket
        self._target = target
        self._progress = progress
        self._done = 0
        self._lock = Lock()

    def fill(self, objects: Sequence[S3Object], here: Sequence[tuple[Path, Mapping[str, Any]]]) -> None:
        """Put every object where its path says.

        Args:
            objects: What is to be there.
            here: Folders like this one that are complete, as that of the last generation, and the stamp of each file
                in it by path.

        Raises:
            ObjectChanged: an object has changed since it was listed.
            RuntimeError: an object could not be downloaded.
            OSError: a file cannot be written.
        """
        for folder in sorted({item.path.rpartition('/')[0] for item in objects}):
            (self._target / folder).mkdir(parents=True, exist_ok=True)
        missing = [item for item in objects if not any(self._link(item, last, known) for last, known in here)]
        self._progress('download', 0, len(missing))
        jobs = [partial(self._get, item, len(missing)) for item in missing]
        run_all(jobs, _AT_ONCE, fail_fast=True)

    def _link(self, item: S3Object, last: Path, known: Mapping[str, Any]) -> bool:
        """Link a file from the last generation: neither is ever written to."""
        if known.get(item.path) != item.stamp:
            return False
        source = last / item.path
        try:
            if source.stat(follow_symlinks=False).st_size != item.size:
                return False
            os.link(source, self._target / item.path, follow_symlinks=False)
            return True
        except OSError:  # a file system without hard links, or with a limit to them; or the file is not there
            pass
        try:
            shutil.copy(source, self._target / item.path, follow_symlinks=False)
        except OSError:
            return False
        return True

    def _get(self, item: S3Object, total: int) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            check_cancelled()
            try:
                self._get_once(item)
                break
            except (ObjectChanged, OSError) as error:
                # A connection that breaks off is an OSError too, but has no file to it.
                if isinstance(error, ObjectChanged) or getattr(error, 'filename', None) is not None:
                    raise
                failure = error
            except Exception as error:
                if error_code(error) in ('NoSuchKey', '404', 'PreconditionFailed'):
                    raise ObjectChanged from None
                failure = error
            if attempt == _ATTEMPTS:
                raise RuntimeError(f'{item.key!r} could not be downloaded: {reason(failure)}') from None
        with self._lock:
            self._done += 1
            self._progress('download', self._done, total)

    def _get_once(self, item: S3Object) -> None:
        answer: Mapping[str, Any] = self._client.get_object(Bucket=self._bucket, Key=item.key)
        if answer.get('ETag') and item.has_etag and content_tag(answer) != item.etag:
            raise ObjectChanged
        body = answer['Body']
        try:
            chunk: bytes = body.read(_CHUNK)
            path = self._target / item.path
            path.unlink(missing_ok=True)  # half of it, from an attempt before
            # S3 has no execute bit; what begins with #! is meant to be run.
            with open(os.open(path, _NEW, 0o777 if chunk.startswith(b'#!') else 0o666), 'wb') as file:
                size = 0
                while chunk:
                    check_cancelled()
                    size += _written(file, chunk, path)
                    chunk = body.read(_CHUNK)
        finally:
            if (close := getattr(body, 'close', None)) is not None:
                close()
        if size != item.size:
            raise ConnectionError(f'{size:,} of {item.size:,} bytes came')


def _written(file: Any, chunk: bytes, path: Path) -> int:
    try:
        return int(file.write(chunk))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def error_code(error: BaseException) -> str:
    """The code that S3 answered with; empty if it did not answer."""
    response = getattr(error, 'response', None)
    if not isinstance(response, Mapping):
        return ''
    details: Mapping[str, Any] = cast('Mapping[str, Any]', response).get('Error') or {}
    return str(details.get('Code', ''))


def reason(error: BaseException) -> str:
    """Why a request failed, and what to try."""
    code, kind = error_code(error), type(error).__name__
    told = _USERINFO.sub(r'\1***@', str(error))[:_TOLD]  # an endpoint may have a password, and a server much to say
    text = f'{kind}: {told}'.rstrip('.') + '.'
    if kind in ('NoCredentialsError', 'PartialCredentialsError', 'CredentialRetrievalError'):
        return f'{text} Give boto3 credentials (environment, profile or role), or pass boto3_client=.'
    if code in ('AccessDenied', '403', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken'):
        return f'{text} The credentials need s3:ListBucket on the bucket and s3:GetObject on what is under the prefix.'
    if code == 'NoSuchBucket':
        return f'{text} Is the name right, and the region or endpoint?'
    if not code:
        return f'{text} Is the endpoint reachable from here?'
    return text
