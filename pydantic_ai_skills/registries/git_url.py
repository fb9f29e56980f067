"""A repository's URL, taken apart: what may be shown and stored, and the credentials that were in it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, unquote, urlsplit

from .secret import KeptSecret

_SCHEME = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*://')
_SCP = re.compile(r'(?:[^/@:\s]+@)?[^/:\s]+:(?!:)[^\s].*')
_SAFE = "/%:@!$&'()*+,;=~"  # what may be in a path; blanks and letters beyond ASCII are taken as they are meant
_SCHEMES = ('https', 'http', 'ssh', 'git', 'file')


@dataclass(frozen=True)
class RemoteUrl:
    """Where a repository is."""

    url: str
    """What git is given: never with a password, nor with anything before the host of an HTTP URL."""

    scheme: str
    """`https`, `http`, `ssh`, `git` or `file`."""

    host: str
    """The host with its port if it has one; empty for a file."""

    user: KeptSecret | None = None
    """The user name that an HTTP URL had; a token is often given there."""

    password: KeptSecret | None = None
    """The password that an HTTP URL had."""

    @property
    def name(self) -> str:
        """What the repository is called: the last part of its path without `.git`."""
        tail = re.split('[/:]', self.url.rstrip('/'))[-1]
        return tail.removesuffix('.git') or 'repository'

    @property
    def is_web(self) -> bool:
        """Whether credentials can be sent to it: HTTP of either kind."""
        return self.scheme in ('http', 'https')

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine."""
        name = self.host.rpartition(':')[0] if re.search(r':\d+$', self.host) else self.host
        return name.strip('[]') in ('localhost', '::1') or name.startswith('127.')


def parse_url(repo_url: str) -> RemoteUrl:
    """Take a URL, an `scp`-like address (`git@host:path`) or a local path apart.

    Raises:
        TypeError: it is no text.
        ValueError: it is nothing that git can fetch from; the message never holds credentials.
    """
    if not isinstance(repo_url, str):
        raise TypeError(f'repo_url must be text, not {type(repo_url).__name__}.')
    text = repo_url.strip()
    if not text or text.startswith('-') or any(ord(character) < 32 for character in text):
        raise ValueError(f'{_masked(repo_url)!r} is no repository URL.')
    if _SCHEME.match(text):
        return _parse_scheme(text)
    if '::' in text.partition('/')[0]:
        raise ValueError(f'{_masked(text)!r} names a transport helper of git; only {", ".join(_SCHEMES)} are fetched.')
    if _SCP.fullmatch(text) and not os.path.exists(text):
        host, _, path = text.partition(':')
        if host.lower() in _SCHEMES or '@' in path.partition('/')[0]:
            raise ValueError(f'{_masked(text)!r} is no valid URL: is it https://…?')
        return RemoteUrl(text, 'ssh', text.partition(':')[0].rpartition('@')[2])
    return RemoteUrl(os.path.abspath(os.path.expanduser(text)), 'file', '')


def _parse_scheme(text: str) -> RemoteUrl:
    try:
        split = urlsplit(text)
        _ = split.port
    except ValueError:
        raise ValueError(f'{_masked(text)!r} is no valid URL.') from None
    scheme = split.scheme.lower()
    if scheme not in _SCHEMES:
        raise ValueError(f'{_masked(text)!r} has the scheme {scheme!r}; only {", ".join(_SCHEMES)} are fetched.')
    if scheme == 'file':
        return RemoteUrl(text, scheme, '')
    userinfo, _, host = split.netloc.rpartition('@')
    if not host or host.startswith('-'):
        raise ValueError(f'{_masked(text)!r} has no host.')
    if scheme not in ('http', 'https'):
        if ':' in userinfo:
            raise ValueError(f'{_masked(text)!r} has a password, which {scheme} cannot be given. Use ssh_key_file=.')
        return RemoteUrl(text, scheme, host.lower())
    if split.query:  # git puts its own after it, so no server sees it as one; and it is a place for tokens
        raise ValueError(f'{_masked(text)!r} has a query (?…), which git cannot send. Leave it out.')
    user, colon, password = userinfo.partition(':')
    return RemoteUrl(
        SplitResult(scheme, host, quote(split.path, safe=_SAFE), '', '').geturl(),
        scheme,
        host.lower(),
        KeptSecret(unquote(user)) if user else None,
        KeptSecret(unquote(password)) if colon else None,
    )


def _masked(text: str) -> str:
    """A URL that could not be taken apart, without what may be a secret."""
    before, at, rest = text.partition('?')[0].rpartition('@')
    scheme = before[: before.find('://') + 3] if '://' in before else ''
    return f'{scheme}***@{rest}' if at else rest
