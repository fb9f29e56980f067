"""Copying a package into a library of our own: regular files only, nothing from outside it, nothing of another skill."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from ..diagnostics import SkillDiagnostic
from ..discovery import FoundPackage
from ..files import is_inside, open_inside
from ..index import is_skill_file, walk


def copy_package(
    found: FoundPackage, target: Path, *, skill_file: bytes | None = None, apart: Collection[str] = ()
) -> list[SkillDiagnostic]:
    """Copy a package's files to the new folder `target`, links as what they lead to, execute bits kept.

    What `DEFAULT_RESOURCE_EXCLUDES` shut out is not copied: no skill can use it, and secrets stay where they are.

    Args:
        found: The package.
        target: A folder that is made.
        skill_file: What its `SKILL.md` is to hold; as it is where `None`.
        apart: Folders of other skills inside it, resolved: not copied.

    Returns:
        A diagnostic for each file that had to be left out.

    Raises:
        OSError: a file cannot be read or written.
    """
    diagnostics: list[SkillDiagnostic] = []

    def report(message: str) -> None:
        diagnostics.append(SkillDiagnostic(found.skill_file.parent, 'warning', 'file-left-out', message))

    directory, boundary = found.directory, found.library.boundary
    target.mkdir(parents=True)
    folders = {target}
    for file in walk(directory, boundary, report):
        if any(is_inside(file.path, folder) for folder in apart):
            continue
        is_skill = is_skill_file(file.name)
        if is_skill and file.name != found.skill_file.name:
            continue
        destination = target / ('SKILL.md' if is_skill else file.name)
        if destination.parent not in folders:
            destination.parent.mkdir(parents=True, exist_ok=True)
            folders.add(destination.parent)
        if is_skill and skill_file is not None:
            destination.write_bytes(skill_file)
            continue
        root = boundary or (directory if is_inside(file.path, str(directory)) else os.path.dirname(file.path))
        with open(open_inside(root, file.path), 'rb') as source, open(destination, 'xb') as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
            if file.executable:
                os.fchmod(copy.fileno(), 0o755)
    return diagnostics
