"""A folder that sources are copied into: what came from where is written down, and nothing else is ever touched.

`.pydantic-ai-skills.json` in the folder holds, per skill, its source and the digest that it had when it was put there. A
skill that is not in it, or that has been edited since, is left alone. Each skill is swapped in by renaming.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from filelock import FileLock, Timeout

from ..checks.package_checks import found_packages
from ..diagnostics import SkillDiagnostic
from ..digest import package_digest
from ..discovery import skill_file_in
from ..info import SkillInfo
from ..names import is_legal_name
from ..registries.staging import copy_package
from .errors import WrongUseError
from .locations import FolderLocation, GitLocation, Location
from .sources import Source

MANIFEST = '.pydantic-ai-skills.json'
"""What is ours in the folder."""

_STAGE = '.sync-'
_LOCK_SECONDS = 10


@dataclass
class Outcome:
    """What a sync did, by the names of skills."""

    came: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])
    went: list[str] = field(default_factory=list[str])
    unchanged: list[str] = field(default_factory=list[str])
    left_alone: dict[str, str] = field(default_factory=dict[str, str])
    """Skills that were not touched although their source has another state, and why."""
    left_out: list[SkillDiagnostic] = field(default_factory=list[SkillDiagnostic])
    """What a source has that is no skill."""


@dataclass(frozen=True)
class Step:
    """What is to be done about one skill that is ours."""

    name: str
    put: SkillInfo | None
    """What to put there; `None` to leave what is there, or to remove it."""
    source: str
    """The key of its source."""
    here: str | None
    """The digest of what is there; `None` for nothing."""
    digest: str | None
    """The digest of what is to be there; `None` where it goes."""


def source_key(location: Location, folder: Path) -> str:
    """What a source is in the manifest of `folder`: without the reference, so that another version updates its skills.

    Folders are relative to it, so that a manifest can be shared with the repository that both are in.
    """
    if isinstance(location, FolderLocation):
        return os.path.relpath(os.path.realpath(location.path), os.path.realpath(folder))
    if isinstance(location, GitLocation):
        return f'git+{location.repository}' + (f'#{location.path}' if location.path else '')
    return location.text


def sync_into(folder: Path, sources: Sequence[Source]) -> Outcome:
    """Make the folder hold the skills of these sources.

    Raises:
        WrongUseError: the folder is a skill or a file, lies in a source, or is being synced by another process.
        OSError: it cannot be written.
    """
    _check(folder, sources)
    outcome = Outcome()
    with _locked(folder):
        manifest = _read_manifest(folder)
        keys = [source_key(source.location, folder) for source in sources]
        wanted = _wanted(dict(zip(keys, sources, strict=True)), outcome)
        steps = list(_steps(folder, manifest, wanted, set(keys), outcome))
        # First what will be there, so that a kill in between leaves nothing that looks like somebody's edit.
        coming = {step.name: _entry(step) for step in steps if step.digest is not None}
        _write_manifest(folder, {**manifest, **coming})
        with tempfile.TemporaryDirectory(prefix=_STAGE, dir=folder) as stage:
            for step in steps:
                outcome.left_out += _carry_out(folder, Path(stage), step)
        gone = {step.name for step in steps if step.digest is None}
        settled = {step.name: {'source': step.source, 'digest': str(step.digest)} for step in steps if step.digest}
        _write_manifest(folder, {name: entry for name, entry in {**manifest, **settled}.items() if name not in gone})
    return outcome


def _entry(step: Step) -> dict[str, str]:
    return {'source': step.source, 'digest': step.here or '', 'next': step.digest or ''}


def _check(folder: Path, sources: Sequence[Source]) -> None:
    if folder.exists() and not folder.is_dir():
        raise WrongUseError(f'{folder} is a file; --into takes a folder.')
    if skill_file_in(folder) is not None:
        raise WrongUseError(f'{folder} is itself a skill; --into takes a folder of skills, such as {folder.parent}.')
    into = Path(os.path.realpath(folder))
    for source in sources:
        for info in source.capability.skills:
            if info.directory is not None and (
                into == info.directory.parent
                or into.is_relative_to(info.directory)
                or info.directory.is_relative_to(into)
            ):
                raise WrongUseError(f'{folder} holds {info.directory}, which it is to be synced from; choose another.')


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / '.pydantic-ai-skills.lock', timeout=_LOCK_SECONDS)
    try:
        with lock:
            for left in folder.glob(f'{_STAGE}*'):  # by a process that was killed
                shutil.rmtree(left, ignore_errors=True)
            yield
    except Timeout:
        raise WrongUseError(f'Another process is syncing into {folder}; try again when it is done.') from None


def _wanted(sources: Mapping[str, Source], outcome: Outcome) -> dict[str, tuple[SkillInfo, str]]:
    """Each skill with its source's key; of two with one name that of the earlier source."""
    wanted: dict[str, tuple[SkillInfo, str]] = {}
    for key, source in sources.items():
        outcome.left_out += [item for item in source.capability.diagnostics if item.severity == 'error']
        for info in source.capability.skills:
            first = wanted.setdefault(info.name, (info, key))
            if first[0] is not info and first[0].digest != info.digest:
                message = (
                    f'The skill {info.name!r} of {source.text} is not used: an earlier source has one of that name.'
                )
                outcome.left_out.append(SkillDiagnostic(str(info.directory), 'warning', 'shadowed', message))
    return wanted


def _steps(
    folder: Path,
    manifest: Mapping[str, Mapping[str, str]],
    wanted: Mapping[str, tuple[SkillInfo, str]],
    keys: set[str],
    outcome: Outcome,
) -> Iterator[Step]:
    """What to put, to keep and to remove; the outcome is told."""
    for name, (info, key) in sorted(wanted.items()):
        here, known, new = _digest(folder / name), manifest.get(name), info.digest
        reason = None if here in (None, new) else _not_ours(folder / name, here, known, keys)
        if reason is not None:
            outcome.left_alone[name] = reason
            continue
        (outcome.came if here is None else outcome.unchanged if here == new else outcome.changed).append(name)
        yield Step(name, None if here == new else info, key, here, new)
    for name, known in sorted(manifest.items()):
        if name in wanted or known.get('source') not in keys:
            continue
        here = _digest(folder / name)
        if here is not None and (reason := _not_ours(folder / name, here, known, keys)) is not None:
            outcome.left_alone[name] = f'It is no longer in its source. {reason}'
            continue
        if here is not None:
            outcome.went.append(name)
        yield Step(name, None, str(known.get('source')), here, None)


def _not_ours(path: Path, here: str | None, known: Mapping[str, str] | None, keys: set[str]) -> str | None:
    """Why what is there must not be touched, or `None`."""
    if known is None:
        return f'{path} was not put there by a sync; rename or remove it to have this one.'
    if here not in (known.get('digest'), known.get('next')):
        return f'{path} was changed since it was put there; rename or remove it.'
    if known.get('source') not in keys:
        return f'{path} comes from {known.get("source")}; remove it to have this one.'
    return None


def _digest(path: Path) -> str | None:
    """The digest of what is there: `None` for nothing, and no digest of any package for what is none."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        return 'not a folder'
    return package_digest(path) if path.exists() else None


def _carry_out(folder: Path, stage: Path, step: Step) -> list[SkillDiagnostic]:
    diagnostics: list[SkillDiagnostic] = []
    if step.put is not None and step.put.directory is not None:
        (found,) = found_packages([step.put.directory])
        diagnostics = copy_package(found, stage / f'new-{step.name}')
    if step.here is not None and step.here != step.digest:
        os.rename(folder / step.name, stage / f'old-{step.name}')
    if step.put is not None:
        os.rename(stage / f'new-{step.name}', folder / step.name)
    return diagnostics


def _read_manifest(folder: Path) -> dict[str, dict[str, str]]:
    try:
        loaded: Any = json.loads((folder / MANIFEST).read_text())
        skills = cast('dict[str, dict[str, str]]', loaded['skills'])
        return {
            name: {str(key): str(value) for key, value in entry.items()}
            for name, entry in skills.items()
            if is_legal_name(name)  # nothing else is ours, whatever somebody may have written there
        }
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise WrongUseError(
            f'{folder / MANIFEST} is damaged ({error}); remove it, and what a sync put there is yours from then on.'
        ) from error


def _write_manifest(folder: Path, skills: Mapping[str, Mapping[str, str]]) -> None:
    text = json.dumps({'version': 1, 'skills': dict(sorted(skills.items()))}, indent=2) + '\n'
    beside = folder / f'{MANIFEST}.new'
    beside.write_text(text)
    os.replace(beside, folder / MANIFEST)
