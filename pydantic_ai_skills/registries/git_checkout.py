"""From a commit to a library: which files, written out without a `.git`, and what could not come along."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..codes import LINK_ESCAPE, NOT_FETCHED
from ..diagnostics import SkillDiagnostic
from ..discovery import Library
from ..index import is_skill_file
from .git_options import FetchOptions
from .git_repository import GitRepository
from .git_tree import Entries, Selection, in_packages, resolve_links
from .paths import can_be_file
from .store import Draft
from .tree import Layout, empty_finding, read_tree, stage_tree
from .work import Progress

_LFS_HEAD = b'version https://git-lfs.github.com/spec/'
_LFS_POINTER_BYTES = 1_024
_NAMED = 5
_SHOWN = 100


@dataclass(frozen=True)
class CheckoutPlan:
    """What of a repository makes the library."""

    path: str
    """The folder in the repository, without slashes at the ends; empty for its root."""

    layout: Layout
    name: str
    """What a skill at the very top of a tree is called."""

    shown: str
    """The registry, for messages."""


def check_out(
    repository: GitRepository, commit: str, plan: CheckoutPlan, options: FetchOptions, draft: Draft, progress: Progress
) -> tuple[SkillDiagnostic, ...]:
    """Fill the library of a draft from a commit that has been fetched; what was noticed on the way.

    Raises:
        ValueError: the path is not there, or is itself a skill and the layout is `'library'`.
        GitError: git failed.
    """
    tree = _folder(repository, commit, plan)
    selection = _select(repository, commit, tree, plan, options)
    library = draft.start()
    progress('checkout', 0, len(selection.entries))
    if plan.layout == 'library':
        repository.write_out(selection.entries, library)
        findings = _noted(selection, library)
    else:
        checkout = draft.folder / 'checkout'
        checkout.mkdir()
        repository.write_out(selection.entries, checkout)
        findings = _noted(selection, checkout)
        top = Library(checkout, 'remote', from_registry=True, source=plan.shown)
        findings += stage_tree(read_tree(top, plan.name), library, progress)
        shutil.rmtree(checkout)
    progress('checkout', len(selection.entries), len(selection.entries))
    return (*findings, *empty_finding(library, plan.shown, plan.layout))


def _folder(repository: GitRepository, commit: str, plan: CheckoutPlan) -> str:
    tree = repository.folder_id(commit, plan.path)
    if tree is None:
        there = [folder for folder in repository.folders(commit) if folder.count('/') < 2]
        some = ', '.join(there[:20]) or 'none'
        raise ValueError(f'The repository has no folder {plan.path!r} at {commit[:12]}. It has: {some}.')
    return tree


def _select(repository: GitRepository, commit: str, tree: str, plan: CheckoutPlan, options: FetchOptions) -> Selection:
    """The files of the library by their path in it."""
    prefix = f'{plan.path}/' if plan.path else ''
    listing = repository.listing(tree)
    if plan.layout == 'library' and any(is_skill_file(path) for path in listing):
        raise ValueError(
            f'{repr(plan.path) if plan.path else "The root of the repository"} is itself a skill, not a folder of skills. '
            "Pass its parent as path=, or layout='tree'."
        )
    wanted: Entries = {prefix + path: entry for path, entry in listing.items()}
    if options.sparse is not None:
        wanted = {path: entry for path, entry in wanted.items() if options.sparse.match_file(path)}
    if plan.layout == 'tree':
        wanted = in_packages(wanted)
    selection = resolve_links(wanted, lambda: repository.listing(commit), repository.read_links)
    entries = {path[len(prefix) :]: entry for path, entry in selection.entries.items()}
    selection.entries = {path: entry for path, entry in entries.items() if can_be_file(path)}
    selection.unusable = sorted(entries.keys() - selection.entries.keys())
    return selection


def _noted(selection: Selection, checkout: Path) -> list[SkillDiagnostic]:
    findings: list[SkillDiagnostic] = []
    if selection.submodules:
        message = f'Submodules are not fetched: {_listed(selection.submodules)}.'
        hint = 'Use a registry for the repository that each stands for.'
        findings.append(SkillDiagnostic(checkout, 'warning', NOT_FETCHED, message, hint))
    if selection.broken_links:
        message = f'Links that lead nowhere or out of the repository are left out: {_listed(selection.broken_links)}.'
        findings.append(SkillDiagnostic(checkout, 'warning', LINK_ESCAPE, message))
    if selection.unusable:
        message = (
            f'Files with paths that are too long, or that git refuses, are left out: {_listed(selection.unusable)}.'
        )
        findings.append(SkillDiagnostic(checkout, 'warning', NOT_FETCHED, message))
    if pointers := [path for path in selection.entries if _is_lfs_pointer(checkout / path)]:
        message = f'Files in Git LFS are not fetched, only their pointers are there: {_listed(pointers)}.'
        findings.append(SkillDiagnostic(checkout, 'warning', NOT_FETCHED, message))
    return findings


def _listed(paths: Sequence[str]) -> str:
    named = ', '.join(path if len(path) <= _SHOWN else f'{path[:_SHOWN]}…' for path in sorted(paths)[:_NAMED])
    return named if len(paths) <= _NAMED else f'{named} and {len(paths) - _NAMED} more'


def _is_lfs_pointer(path: Path) -> bool:
    try:
        if os.stat(path, follow_symlinks=False).st_size > _LFS_POINTER_BYTES:
            return False
        with open(path, 'rb') as file:
            return file.read(len(_LFS_HEAD)) == _LFS_HEAD
    except OSError:
        return False
