"""Skills from a Git repository."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import warnings
from dataclasses import replace
from pathlib import Path

from pydantic import SecretStr

from ..diagnostics import SkillDiagnostic
from .git_auth import Credentials, GitEnvironment, find_credentials
from .git_checkout import CheckoutPlan, check_out
from .git_options import FetchOptions, GitCloneOptions, read_options
from .git_process import GitError, GitRunner
from .git_refs import is_commit_id, look_up
from .git_repository import GitRepository
from .git_url import parse_url
from .secret import KeptSecret
from .store import Built, Draft
from .stored import StoredRegistry
from .tree import Layout, checked_layout
from .work import Progress

__all__ = ['GitCloneOptions', 'GitSkillsRegistry']

_NO_REF = re.compile(r'[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|^[-/]|/$|//|\.lock$')


class GitSkillsRegistry(StoredRegistry):
    """Skills from a Git repository: a branch, tag or commit of it, fetched as far as needed.

    A sync asks the server which commit the reference is (`git ls-remote`) and does nothing more if that is the one
    in use; for a full commit id it asks nobody. Submodules and files in Git LFS are not fetched; a diagnostic says so.

    Credentials are given to git by its environment alone. Nobody is ever asked for any.
    """

    _shares_checks = True
    _verifies_always = True

    def __init__(
        self,
        repo_url: str,
        *,
        path: str = '',
        ref: str | None = None,
        token: str | SecretStr | None = None,
        token_user: str = 'x-access-token',
        ssh_key_file: str | Path | None = None,
        target_dir: str | Path | None = None,
        clone_options: GitCloneOptions | None = None,
        auto_install: bool = True,
        timeout: float = 60.0,
        layout: Layout = 'library',
    ) -> None:
        """Nothing is fetched before `sync`.

        Args:
            repo_url: An `https`, `http`, `ssh`, `git` or `file` URL, an address like `git@host:owner/name`, or a path.
            path: The folder of the repository that holds the skills; its root by default.
            ref: A branch, tag or commit; the repository's default branch where `None`.
            token: For HTTP, sent to the URL's own host only. Without one, credentials in the URL are used, then, for
                `https://github.com` only, the environment's `GITHUB_TOKEN`, then the helpers of the user's git.
            token_user: The user name to go with the token. GitHub takes any; GitLab wants `oauth2` for some tokens.
            ssh_key_file: For SSH, the private key; without one, whatever the user's SSH is set up for.
            target_dir: The folder for the store; one in the user's cache folder where `None`.
            clone_options: How to fetch.
            auto_install: Whether to fetch at all; if not, what is in the store, or in `target_dir`, is read.
            timeout: Seconds for each command that uses the network.
            layout: `'library'`: the immediate children of `path` are the packages. `'tree'`: every `SKILL.md` below
                it at any depth, one at `path` itself too; the repository's other files stay out.

        Raises:
            ImportError: GitPython is not installed, and `auto_install` is not false.
            TypeError: an argument is of the wrong type.
            ValueError: an argument cannot be right, or goes with none of the URL's kind.
        """
        if auto_install and importlib.util.find_spec('git') is None:
            raise ImportError("GitSkillsRegistry needs GitPython: pip install 'pydantic-ai-skills[git]'")
        super().__init__(target_dir, auto_install)
        self._remote = parse_url(repo_url)
        self._token = _checked_token(token)
        self._token_user = token_user
        self.repo_url = self._remote.url
        """The repository, without credentials."""
        self.path = _checked_path(path)
        """The folder in it, without slashes at the ends."""
        self.ssh_key_file = None if ssh_key_file is None else Path(ssh_key_file).expanduser().absolute()
        """The private key for SSH."""
        if not isinstance(clone_options, (GitCloneOptions, type(None))) or not isinstance(token_user, str):
            raise TypeError('clone_options must be GitCloneOptions, and token_user text.')
        self.clone_options = GitCloneOptions() if clone_options is None else clone_options
        """How to fetch."""
        self._options: FetchOptions = read_options(self.clone_options)
        self.ref = _checked_ref(ref if ref is not None else self._options.branch)
        """The branch, tag or commit; `None` for the default branch."""
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < math.inf:
            raise ValueError(f'timeout must be a positive number of seconds, not {timeout!r}.')
        self.timeout = float(timeout)
        """Seconds for each command that uses the network."""
        self.layout: Layout = checked_layout(layout)
        """`'library'` or `'tree'`."""
        self._check_credentials()

    def __repr__(self) -> str:
        parts = [repr(self.repo_url)]
        parts += [f'path={self.path!r}'] if self.path else []
        parts += [f'ref={self.ref!r}'] if self.ref is not None else []
        parts += [f'layout={self.layout!r}'] if self.layout != 'library' else []
        return f'GitSkillsRegistry({", ".join(parts)})'

    def identity(self) -> str:
        """URL, path, reference, layout and the paths that are checked out."""
        return json.dumps(
            ['git', self._remote.url, self.path, self.ref, self.layout, list(self.clone_options.sparse_paths)]
        )

    def revision(self) -> str:
        """The commit in use, as 40 hexadecimal characters. Syncs first if there is none; errors as `sync`."""
        if self.generation is None:
            self.sync()
        generation = self.generation
        if generation is None:
            raise ValueError(f'{self!r} reads a folder that no sync has made, so its commit is not known.')
        return generation.revision

    @property
    def _label(self) -> str:
        return self._remote.name

    def _check_credentials(self) -> None:
        if self._token is not None and not self._remote.is_web:
            raise ValueError(f'token= is for HTTPS; {self.repo_url!r} is not fetched by it.')
        if self.ssh_key_file is not None and self._remote.scheme != 'ssh':
            raise ValueError(f'ssh_key_file= is for SSH; {self.repo_url!r} is not fetched by it.')
        given = (self._token, self._remote.user, self._remote.password)
        secrets = [secret.get_secret_value() for secret in given if secret is not None]
        if not all(_can_be_told(text) for text in (self._token_user, *secrets)):
            raise ValueError('A token, user name or password has characters that git cannot be told.')
        has_secret = bool(secrets)
        if has_secret and self._remote.scheme == 'http' and not self._remote.is_loopback:
            warnings.warn(
                f'{self!r} sends its credentials over plain http, where anybody on the way can read them. Use https.',
                UserWarning,
                stacklevel=3,
            )

    def _build(self, draft: Draft, progress: Progress) -> Built | None:
        *others, last = find_credentials(self._remote, self._token, self._token_user)
        for credentials in others:
            try:
                return self._build_with(credentials, draft, progress)
            except GitError as error:
                if not error.refused:
                    raise
            draft.clear()
        return self._build_with(last, draft, progress)

    def _build_with(self, credentials: Credentials | None, draft: Draft, progress: Progress) -> Built | None:
        previous = draft.previous
        if previous is not None and self._is_pinned:
            return None
        runner = self._runner(credentials, draft)
        progress('check', 0, None)
        wanted = look_up(runner, self._remote.url, self.ref)
        if previous is not None and wanted.is_met_by(previous.revision):
            return None
        repository = GitRepository(runner, self._remote.url, draft.folder, progress)
        partial = bool(self.path) or self.layout == 'tree' or self._options.sparse is not None
        seed = None if previous is None else previous.folder
        draft.folder.mkdir(parents=True)
        commit = repository.fetch(wanted, self._options, seed, partial)
        try:
            return self._checked_out(repository, commit, draft, progress)
        except GitError as error:
            if error.timed_out or error.refused:
                raise
        # What was there is broken, or the server does not give later what it was asked to leave out at first.
        draft.clear()
        draft.folder.mkdir(parents=True)
        commit = repository.fetch(wanted, replace(self._options, filter=None), None, False)
        return self._checked_out(repository, commit, draft, progress)

    def _checked_out(self, repository: GitRepository, commit: str, draft: Draft, progress: Progress) -> Built:
        plan = CheckoutPlan(self.path, self.layout, self._top_name, repr(self))
        findings: tuple[SkillDiagnostic, ...] = check_out(repository, commit, plan, self._options, draft, progress)
        return Built(commit, diagnostics=findings)

    @property
    def _is_pinned(self) -> bool:
        """Whether `ref` can only ever be one commit."""
        return self.ref is not None and is_commit_id(self.ref)

    def _plain_library(self, folder: Path) -> Path:
        """In a clone that somebody has made it is where it is in the repository."""
        inner = folder / self.path
        return inner if inner.is_dir() else folder

    @property
    def _top_name(self) -> str:
        return self.path.rpartition('/')[2] or self._remote.name

    def _runner(self, credentials: Credentials | None, draft: Draft) -> GitRunner:
        if self.ssh_key_file is not None and not self.ssh_key_file.is_file():
            raise GitError(f'There is no SSH key {str(self.ssh_key_file)!r}.')
        environment = GitEnvironment(
            self._remote,
            credentials,
            self.ssh_key_file,
            self.timeout,
            self.clone_options.env,
            self._options.config,
        )
        return GitRunner(environment, draft.folder.parents[1])


def _checked_token(token: str | SecretStr | None) -> KeptSecret | None:
    if token is None:
        return None
    if not isinstance(token, (str, SecretStr)):
        raise TypeError('token must be text.')
    text = (token.get_secret_value() if isinstance(token, SecretStr) else token).strip()
    if any(ord(character) < 32 for character in text):
        raise ValueError('token must be a single line of text.')
    return KeptSecret(text) if text else None


def _can_be_told(text: str) -> bool:
    return not any(ord(character) < 32 or 0xD800 <= ord(character) <= 0xDFFF for character in text)


def _checked_path(path: str) -> str:
    if not isinstance(path, str):
        raise TypeError(f'path must be text, not {path!r}.')
    parts = [part for part in path.split('/') if part not in ('', '.')]
    if '..' in parts or any(ord(character) < 32 for character in path):
        raise ValueError(f'path must be a folder of the repository, not {path!r}.')
    return '/'.join(parts)


def _checked_ref(ref: str | None) -> str | None:
    if ref is None:
        return None
    if not isinstance(ref, str):
        raise TypeError(f'ref must be text, not {ref!r}.')
    if not ref or _NO_REF.search(ref):
        raise ValueError(f'{ref!r} is no branch, tag or commit.')
    return ref.lower() if is_commit_id(ref.lower()) else ref
