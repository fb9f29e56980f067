"""Mending the files of a skill where that is safe: byte order marks, line ends, quoting, the name, first lines of scripts.

A `SKILL.md` is changed only if it then means what it meant here before, when it was mended in memory.
"""

from __future__ import annotations

import codecs
import difflib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic_ai_harness.skills import SkillDefinition

from ..catalog import CatalogItem
from ..codes import FRONTMATTER_LONG
from ..frontmatter import split_frontmatter
from ..names import is_legal_name, normalize_name
from ..reading import SkillSource, read_skills
from ..repair import repair
from .checked import MAX_CHECKED_BYTES, CheckedPackage
from .script_files import broken_first_line

_ABOVE = re.compile(r'(?:[\s\ufeff]|<!--.*?-->)*', re.DOTALL)


@dataclass(frozen=True)
class Fix:
    """A file as it is and as it should be."""

    path: Path
    """The file; never a link, which would become a file."""
    before: bytes
    after: bytes
    new_path: Path | None = None
    """Its name afterwards, where that changes."""

    @property
    def target(self) -> Path:
        """Where the mended file is."""
        return self.new_path or self.path

    def diff(self) -> str:
        """The change as a unified diff; line ends and byte order marks are shown by their escapes."""
        if self.before == self.after:
            return f'rename {self.path} to {self.target}\n'
        before, after = (_shown(raw) for raw in (self.before, self.after))
        return ''.join(difflib.unified_diff(before, after, str(self.path), str(self.target)))

    def write(self) -> None:
        """Write the file in one step, with the mode that it had.

        Raises:
            OSError: it cannot be written; the old one is then still there, whole.
        """
        if self.before != self.after:
            descriptor, beside = tempfile.mkstemp(prefix='.SKILL-', dir=self.path.parent)
            try:
                with open(descriptor, 'wb') as file:
                    file.write(self.after)
                    file.flush()
                    os.fsync(file.fileno())
                shutil.copymode(self.path, beside)
                os.replace(beside, self.path)
            except BaseException:
                os.unlink(beside)
                raise
        if self.new_path is not None:
            os.rename(self.path, self.new_path)


def fixes_for(item: CatalogItem) -> Iterator[Fix]:
    """What can be mended in a package without a guess."""
    package = CheckedPackage(item)
    if package.raw and (fix := _fix_skill_file(package)) is not None:
        yield fix
    for file in package.files:
        source = package.read(file) if file.runnable else b''
        if len(source) < MAX_CHECKED_BYTES and broken_first_line(source):
            after = source.removeprefix(codecs.BOM_UTF8).replace(b'\r\n', b'\n')
            yield Fix(Path(file.file.path), source, after)


def _fix_skill_file(package: CheckedPackage) -> Fix | None:
    path = package.skill_file
    if path.is_symlink() or package.found.directory.name != package.found.folder:
        return None  # what a link leads to may be another skill too, under its own name
    before = package.raw
    after = _mended(before, package.found.folder, package.item)
    exact = path.with_name('SKILL.md')
    renamed = exact if path.name != 'SKILL.md' and not exact.exists() else None
    return None if after == before and renamed is None else Fix(path, before, after, renamed)


def _mended(raw: bytes, folder: str, item: CatalogItem) -> bytes:
    """The text as it should be; as it is where that cannot be said, or where it would mean something else."""
    plain = raw.replace(b'\r\n', b'\n')
    repaired = repair(plain, folder)
    passed_over = any(finding.code == FRONTMATTER_LONG for finding in repaired.findings)
    if repaired.text is None or item.definition is None or passed_over:
        return raw
    text = _with_name(_with_comment(plain.decode(), repaired.text), folder)
    mended = text.encode()
    (read,) = read_skills([SkillSource(folder, mended)], strict=True)
    if read.definition is None:  # a folder that is no legal name is refused whatever the file says
        (read,) = read_skills([SkillSource(folder, mended)])
    return mended if _same(read.definition, item.definition) else raw


def _with_comment(before: str, text: str) -> str:
    """The text with the comment that stood above the frontmatter, such as a licence, below it."""
    match = _ABOVE.match(before)
    above = '' if match is None else match[0].strip('\ufeff \t\n')
    span = split_frontmatter(text)
    if not above or span is None:
        return text
    return f'{text[: span.end]}\n{above}\n{text[span.end :]}'


def _with_name(text: str, folder: str) -> str:
    """The text with the name that the format requires, where it has none and the folder's can be one."""
    span = split_frontmatter(text)
    if span is None or not is_legal_name(folder) or re.search(r'(?m)^(["\']?)name\1[ \t]*:', text[: span.stop]):
        return text
    return f'{text[: span.start]}name: {normalize_name(folder)}\n{text[span.start :]}'


def _same(one: SkillDefinition | None, other: SkillDefinition) -> bool:
    return (
        one is not None
        and (one.name, one.description) == (other.name, other.description)
        and one.body.endswith(other.body.removeprefix('\n'))
    )


def _shown(raw: bytes) -> list[str]:
    text = raw.decode('utf-8', errors='backslashreplace')
    return [
        line.replace('\ufeff', '\\ufeff').replace('\r', '\\r') + '\n' for line in text.removesuffix('\n').split('\n')
    ]
