"""Which commit a branch, tag or commit id stands for, as far as a server can tell without being fetched from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .git_process import GitRunner

_COMMIT = re.compile(r'[0-9a-f]{40}|[0-9a-f]{64}')
_SHORT_COMMIT = re.compile(r'[0-9a-f]{4,63}')  # from 4 on, as in git
_NAMED = 20


@dataclass(frozen=True)
class Wanted:
    """What is to be fetched."""

    ref: str
    """What the caller calls it."""

    name: str | None
    """What to ask the server for: a full reference or commit; `None` if only the history can tell."""

    commit: str | None = None
    """Its commit, where the server has told."""

    sha256: bool = False
    """Whether the repository is one of those whose ids are SHA-256."""

    def is_met_by(self, commit: str) -> bool:
        """Whether that commit is what is wanted."""
        return commit == self.commit if self.name is not None else commit.startswith(self.ref)


def is_commit_id(ref: str) -> bool:
    """Whether it is a whole commit id."""
    return _COMMIT.fullmatch(ref) is not None


def look_up(runner: GitRunner, url: str, ref: str | None) -> Wanted:
    """Ask the server (`git ls-remote`) what a reference is; for a full commit id, nobody is asked.

    Of a branch and a tag with one name the branch is meant, as for `git clone`.

    Raises:
        ValueError: there is no such branch or tag, and it is no commit either.
        GitError: git failed.
    """
    if ref is not None and is_commit_id(ref):
        return Wanted(ref, ref, ref, len(ref) == 64)
    names = ['HEAD'] if ref in (None, 'HEAD') else [f'refs/heads/{ref}', f'refs/tags/{ref}', f'refs/{ref}']
    if ref is not None and ref.startswith('refs/'):
        names = [ref]
    # HEAD in any case: its id shows which kind the repository has.
    found = _listed(runner, url, ['HEAD', *(pattern for name in names for pattern in (name, f'{name}^{{}}'))])
    sha256 = any(len(commit) == 64 for commit in found.values())
    for name in names:
        if name in found:
            return Wanted(ref or 'HEAD', name, found.get(f'{name}^{{}}', found[name]), sha256)
    if names == ['HEAD']:
        return _without_head(runner, url)
    if ref is not None and _SHORT_COMMIT.fullmatch(short := ref.lower()):
        return Wanted(short, None, None, sha256)
    raise ValueError(f'{url!r} has no branch or tag {ref!r}.')


def _without_head(runner: GitRunner, url: str) -> Wanted:
    """The only branch of a repository whose default branch is not there, since it was renamed or never made."""
    branches = _listed(runner, url, ['refs/heads/*'])
    if not branches:
        raise ValueError(f'{url!r} has no commit yet.')
    if len(branches) > 1:
        some = ', '.join(name.removeprefix('refs/heads/') for name in sorted(branches)[:_NAMED])
        raise ValueError(
            f'{url!r} has no default branch: the one that it names is not there. Pass ref=, one of: {some}.'
        )
    ((name, commit),) = branches.items()
    return Wanted('HEAD', name, commit, len(commit) == 64)


def _listed(runner: GitRunner, url: str, patterns: list[str]) -> dict[str, str]:
    output = runner.run(['ls-remote', '--quiet', '--', url, *patterns]).decode(errors='replace')
    return {name: commit for commit, _, name in (line.partition('\t') for line in output.splitlines())}
