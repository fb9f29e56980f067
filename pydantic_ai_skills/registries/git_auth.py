"""What git is told by its environment: credentials, and to ask nobody. Nothing of it is in argv or on disk."""

from __future__ import annotations

import base64
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from pydantic import SecretStr

from .git_url import RemoteUrl

# The variables are read by the shell that git starts for this, so no command line holds what is in them.
_HELPER = (
    '!f() { test "$1" = get || exit 0; '
    'printf "username=%s\\npassword=%s\\n" "$PYDANTIC_AI_SKILLS_GIT_USER" "$PYDANTIC_AI_SKILLS_GIT_PASSWORD"; }; f'
)

_SHORTEST_TOKEN = 16
_USERINFO = re.compile(r'(https?://)[^/\s@]+@')
_SECRET_NAME = re.compile('token|passw|secret|credential|api.?key', re.IGNORECASE)

_QUIET_CONFIG = (
    ('credential.interactive', 'false'),
    ('core.askPass', ''),
    ('core.hooksPath', os.devnull),
    ('core.fsmonitor', 'false'),
    ('core.autocrlf', 'false'),
    ('core.eol', 'lf'),
    ('core.attributesFile', os.devnull),
    ('init.defaultBranch', 'main'),
    ('gc.auto', '0'),
    ('maintenance.auto', 'false'),
    ('fetch.recurseSubmodules', 'false'),
    ('submodule.recurse', 'false'),
    # Files in Git LFS stay pointers, even where git-lfs is set up: only what git itself has is fetched.
    ('filter.lfs.smudge', ''),
    ('filter.lfs.process', ''),
    ('filter.lfs.required', 'false'),
)
"""A git that does what it is asked and nothing else, whatever the user's own configuration adds."""

# They would point git at another repository, have it make one of another kind, or have it print what it sends.
_DROPPED = frozenset(
    'GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE '
    'GIT_COMMON_DIR GIT_CEILING_DIRECTORIES GIT_QUARANTINE_PATH GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_PREFIX '
    'GIT_IMPLICIT_WORK_TREE GIT_REPLACE_REF_BASE GIT_ATTR_SOURCE GIT_DEFAULT_HASH GIT_NO_LAZY_FETCH GIT_CONFIG '
    'GIT_LITERAL_PATHSPECS GIT_CURL_VERBOSE SSH_ASKPASS'.split()
)


@dataclass(frozen=True)
class Credentials:
    """A user name and a secret for one host."""

    user: str = field(repr=False)
    secret: SecretStr | None
    """`None` where the helpers of the user's git are to know it."""

    def spellings(self) -> Iterator[str]:
        """Every form in which what is secret could turn up in a message."""
        secret = '' if self.secret is None else self.secret.get_secret_value()
        for text in (secret, self.user if not secret and _may_be_token(self.user) else ''):
            if text:
                yield text
                yield quote(text, safe='')
        yield base64.b64encode(f'{self.user}:{secret}'.encode()).decode()


def find_credentials(remote: RemoteUrl, token: SecretStr | None, token_user: str) -> Sequence[Credentials | None]:
    """What to try on a remote, until it is not refused: an explicit token, the URL's, or GitHub's of the environment.

    A URL with a user name and no password may mean a token, or somebody whose password the helpers of the user's git
    know. Either is tried by itself: helpers write down what has worked, and a token is never to be on disk.
    """
    if not remote.is_web:
        return [None]
    if token is not None:
        return [Credentials(token_user, token)]
    user = None if remote.user is None else remote.user.get_secret_value()
    if remote.password is not None:
        return [Credentials(user or '', remote.password)]
    if user is not None:
        both = [Credentials(user, SecretStr('')), Credentials(user, None)]
        return both if _may_be_token(user) else both[::-1]
    ambient = os.environ.get('GITHUB_TOKEN', '').strip()
    if ambient and remote.scheme == 'https' and remote.host in ('github.com', 'github.com:443'):
        return [Credentials(token_user, SecretStr(ambient))]
    return [None]


def _may_be_token(user: str) -> bool:
    return len(user) >= _SHORTEST_TOKEN


@dataclass
class GitEnvironment:
    """Makes the environment for a git process; made anew for each, so that no frame keeps one that holds secrets."""

    remote: RemoteUrl
    credentials: Credentials | None
    ssh_key_file: Path | None = None
    timeout: float = 60.0
    extra: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    config: Sequence[tuple[str, str]] = field(default=(), repr=False)

    def variables(self, more: Mapping[str, str]) -> dict[str, str]:
        """The whole environment of one process, with `more` on top."""
        env = {name: value for name, value in os.environ.items() if not _is_dropped(name)}
        env |= {
            'GIT_TERMINAL_PROMPT': '0',
            'GIT_ASKPASS': '',
            'SSH_ASKPASS_REQUIRE': 'never',
            'GCM_INTERACTIVE': 'never',
        }
        env |= {'LC_ALL': 'C', 'LANGUAGE': 'C', 'GIT_LFS_SKIP_SMUDGE': '1', 'GIT_OPTIONAL_LOCKS': '0'}
        env |= self.extra
        env |= dict.fromkeys(('GIT_TRACE2', 'GIT_TRACE2_EVENT', 'GIT_TRACE2_PERF'), '0')  # may log variables
        if self.ssh_key_file is not None:
            key = shlex.quote(str(self.ssh_key_file))
            ssh = env.get('GIT_SSH_COMMAND') or 'ssh'  # the user's may go through a proxy
            env['GIT_SSH_COMMAND'] = f'{ssh} -i {key} -o IdentitiesOnly=yes -o BatchMode=yes'
            env['GIT_SSH_VARIANT'] = 'ssh'
        config = [*_QUIET_CONFIG, *self._limits(), *self.config, *self._credential_config()]
        if self.credentials is not None and self.credentials.secret is not None:
            env['PYDANTIC_AI_SKILLS_GIT_USER'] = self.credentials.user
            env['PYDANTIC_AI_SKILLS_GIT_PASSWORD'] = self.credentials.secret.get_secret_value()
        return _with_config(env, config) | dict(more)

    def masked(self, text: str) -> str:
        """A text that may have been given what is secret, such as a server's answer, without it."""
        secrets = list(self.credentials.spellings()) if self.credentials is not None else []
        secrets += [value for name, value in self.extra.items() if _SECRET_NAME.search(name)]
        for name, value in self.extra.items():
            if name.startswith('GIT_CONFIG_VALUE_') and len(value) >= _SHORTEST_TOKEN:
                secrets += [value, value.rpartition(' ')[2]]
        for key, value in self.config:
            if key.lower().endswith('extraheader') or _SECRET_NAME.search(key):
                secrets += [value, value.rpartition(' ')[2]]
        for secret in sorted(filter(None, secrets), key=len, reverse=True):
            text = text.replace(secret, '***')
        return _USERINFO.sub(r'\1***@', text)  # the user's git may be set up to put some into URLs

    def _limits(self) -> list[tuple[str, str]]:
        # Beside our own limit, so that a git whose parent was killed does not wait for ever either.
        return [('http.lowSpeedLimit', '1'), ('http.lowSpeedTime', str(max(1, round(self.timeout))))]

    def _credential_config(self) -> list[tuple[str, str]]:
        scope = f'credential.{self.remote.scheme}://{self.remote.host}'
        if self.credentials is None:
            return []
        if self.credentials.secret is None:
            return [(f'{scope}.username', self.credentials.user)]
        # Only asked for by this host, so a redirect to another one gets nothing. The empty one shuts out the helpers
        # of the user's git: what was given explicitly is what is used.
        return [(f'{scope}.helper', ''), (f'{scope}.helper', _HELPER)]


def _with_config(env: dict[str, str], config: list[tuple[str, str]]) -> dict[str, str]:
    """Add settings after those that the environment may hold already."""
    if outer := env.get('GIT_CONFIG_PARAMETERS'):  # those of a `git -c …` around us, which would come after the others
        env['GIT_CONFIG_PARAMETERS'] = ' '.join([outer, *(f'{_quoted(key)}={_quoted(value)}' for key, value in config)])
        return env
    try:
        count = int(env.get('GIT_CONFIG_COUNT') or 0)
    except ValueError:
        count = 0
    for number, (key, value) in enumerate(config, count):
        env[f'GIT_CONFIG_KEY_{number}'] = key
        env[f'GIT_CONFIG_VALUE_{number}'] = value
    env['GIT_CONFIG_COUNT'] = str(count + len(config))
    return env


def _quoted(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"


def _is_dropped(name: str) -> bool:
    return name in _DROPPED or name.startswith('GIT_TRACE')
