"""Which files of a package are never shown to a model, and the caller's globs on top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from pathspec import GitIgnoreSpec

DEFAULT_RESOURCE_EXCLUDES: tuple[str, ...] = (
    # caches
    '__pycache__', '*.pyc', '*.pyo', '.DS_Store', 'Thumbs.db', 'desktop.ini',
    '.pytest_cache', '.mypy_cache', '.ruff_cache', '.ipynb_checkpoints', '.cache',
    # version control
    '.git', '.hg', '.svn', '.bzr', 'CVS', '.jj',
    # vendored trees
    'node_modules', '.venv', '.tox', '.nox', 'bower_components',
    # secrets
    '.env', '.env.*', '!.env.example', '.envrc', '*.pem', '*.key', '*.p12', '*.pfx', '*.keystore', '*.jks', '*.kdbx',
    'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '.ssh', '.gnupg', '.aws', '.azure', '.gcloud', '.kube', '.docker',
    '.npmrc', '.yarnrc.yml', '.netrc', '_netrc', '.pypirc', '.git-credentials', '.pgpass', '.my.cnf', '.htpasswd',
    '.dockercfg', '.terraformrc', '.s3cfg', '.boto', '.vault-token', '.credentials',
)  # fmt: skip
"""Globs of what is neither resource, script nor asset, whatever its mode: caches, version control, vendored trees, secrets.

Compared without case, to each part of a path, so a folder's name shuts all below it. `!` takes one out again.
"""


@lru_cache(maxsize=1)
def _defaults() -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(pattern.lower() for pattern in DEFAULT_RESOURCE_EXCLUDES)


@lru_cache(maxsize=65_536)
def is_excluded_part(name: str) -> bool:
    """Whether `DEFAULT_RESOURCE_EXCLUDES` shut out a file or folder of this name (one path part)."""
    return _defaults().match_file(name.lower())


class ResourceFilter:
    """The caller's `exclude_resources`: globs that hide resources and assets, on top of the defaults."""

    def __init__(self, globs: Iterable[str] = ()) -> None:
        """Compile `globs`; each matches the relative path or any part of it, as in a `.gitignore`.

        Raises:
            TypeError: `globs` is one string, or holds something else than strings.
            ValueError: a glob is not valid.
        """
        if isinstance(globs, str):
            raise TypeError(f'exclude_resources must be a sequence of globs, not the string {globs!r}.')
        self.globs = tuple(globs)
        for glob in self.globs:
            if not isinstance(glob, str):
                raise TypeError(f'exclude_resources must contain only globs as strings, not {glob!r}.')
        try:
            self._spec = GitIgnoreSpec.from_lines(self.globs) if self.globs else None
        except ValueError as error:
            raise ValueError(f'exclude_resources has a glob that is not valid: {error}') from error

    def hides(self, relative: str) -> bool:
        """Whether the file at this skill-relative POSIX path is hidden."""
        return self._spec is not None and self._spec.match_file(relative)


def combined_globs(globs: Sequence[str] | None) -> ResourceFilter:
    """The filter for an option that may be unset."""
    return ResourceFilter(globs or ())
