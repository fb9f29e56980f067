"""What a SOURCE on the command line means: a folder, `git+https://…[@ref][#path]` or `s3://bucket/prefix`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from ..skill_folders import conventional_folders
from .console import near
from .errors import WrongUseError

FORMS = 'A source is a folder, git+https://HOST/REPO[@REF][#PATH] or s3://BUCKET[/PREFIX].'
_GIT_SCHEMES = frozenset(['https', 'http', 'ssh', 'file', 'git'])


@dataclass(frozen=True)
class FolderLocation:
    """A folder of this machine."""

    text: str
    path: Path


@dataclass(frozen=True)
class GitLocation:
    """A Git repository: which branch, tag or commit, and where in it."""

    text: str
    url: str
    repository: str
    """The URL without credentials."""
    ref: str | None
    path: str


@dataclass(frozen=True)
class S3Location:
    """A bucket and a prefix in it."""

    text: str
    bucket: str
    prefix: str


Location = FolderLocation | GitLocation | S3Location


def parse_location(text: str) -> Location:
    """What `text` means.

    Raises:
        WrongUseError: it is a URL of a kind that is not known, or is not complete.
    """
    if text.startswith('git+'):
        return _git(text)
    if text.startswith('s3://'):
        bucket, _, prefix = text.removeprefix('s3://').partition('/')
        if not bucket:
            raise WrongUseError(f'{text} names no bucket. {FORMS}')
        return S3Location(text, bucket, prefix.strip('/'))
    if '://' in text:
        hint = f'Did you mean git+{text}?' if text.startswith(('https://', 'ssh://', 'http://')) else FORMS
        raise WrongUseError(f'{text} is no source. {hint}')
    if not text:
        raise WrongUseError(f'An empty source. {FORMS}')
    return FolderLocation(text, Path(text).expanduser().absolute())


def _git(text: str) -> GitLocation:
    parts = urlsplit(text.removeprefix('git+'))
    if parts.scheme not in _GIT_SCHEMES or not parts.path.strip('/') or not (parts.netloc or parts.scheme == 'file'):
        raise WrongUseError(f'{text} is no address of a Git repository. {FORMS}')
    path, at, ref = parts.path.rpartition('@')  # as pip reads it: the last @ of the path, so none of the host's
    if not at:
        path, ref = parts.path, ''
    elif not ref or not path.strip('/'):
        raise WrongUseError(f'{text} has an @ without a branch, tag or commit behind it. {FORMS}')
    fragment = unquote(parts.fragment)
    if 'subdirectory=' in fragment:  # pip's spelling
        fragment = parse_qs(fragment).get('subdirectory', [''])[0]
    url = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ''))
    shown = url
    if '@' in parts.netloc and parts.scheme in ('http', 'https'):  # a token, most likely
        host = parts.netloc.rpartition('@')[2]
        text, shown = (whole.replace(parts.netloc, host, 1) for whole in (text, url))
    return GitLocation(text, url, shown, unquote(ref) or None, fragment.strip('/'))


def default_locations() -> list[Location]:
    """The conventional folders that exist.

    Raises:
        WrongUseError: there is none.
    """
    folders = conventional_folders(Path.cwd(), Path.home())
    if not folders:
        raise WrongUseError(
            'There is no .agents/skills or .claude/skills here, up to the root of the repository, or in the home '
            f'folder: name a source, or make a skill with `pydantic-ai-skills new NAME`. {FORMS}'
        )
    return [FolderLocation(near(folder), folder) for folder in folders]


def locations(texts: Sequence[str] | None) -> list[Location]:
    """What the command line names, or the conventional folders; errors as `parse_location` and `default_locations`."""
    return [parse_location(text) for text in texts] if texts else default_locations()
