"""Which files a package has, and what each is: resource, script or asset. Paths and kinds only, no objects."""

from __future__ import annotations

import codecs
import os
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from .encoding import is_encodable
from .excludes import is_excluded_part
from .files import is_inside, open_found

Kind: TypeAlias = Literal['resource', 'script', 'asset']
"""What the model can do with a file: read it, run it, or learn that it is there."""

SNIFFED_BYTES = 64 * 1024
"""How much of a file decides whether it is text (contract, section 3)."""

SCRIPT_EXTENSIONS = frozenset(
    ['.py', '.sh', '.bash', '.zsh', '.fish', '.ps1', '.bat', '.cmd', '.js', '.mjs', '.cjs', '.ts', '.rb', '.pl']
)
"""Extensions of files that run: those that published skills call (measured), and Windows' own."""

_DOCUMENT_EXTENSIONS = frozenset(
    '.md .mdx .markdown .txt .text .rst .adoc .org .json .jsonl .ndjson .json5 .jsonc .yaml .yml .toml .ini .cfg .conf'
    ' .csv .tsv .html .htm .xhtml .xml .xsd .xsl .xslt .dtd .svg .css .scss .less .sql .graphql .proto .tex .bib .log'
    ' .lock .diff .patch .jinja .jinja2 .j2 .tmpl .tpl .template .mustache .hbs .properties .plist .tf .hcl .ipynb'
    ' .png .jpg .jpeg .gif .webp .bmp .ico .tif .tiff .avif .heic .pdf .doc .docx .xls .xlsx .ppt .pptx .odt .ods .odp'
    ' .ttf .otf .woff .woff2 .eot .mp3 .wav .ogg .flac .m4a .mp4 .mov .webm .avi .mkv .zip .gz .tgz .bz2 .xz .zst .7z'
    ' .tar .db .sqlite .parquet .npy .npz .pkl .jsx .tsx .c .h .cc .cpp .hpp .java .go .rs .kt .swift .cs'.split()
)
"""Extensions on which an execute bit means nothing: on many mounts every file has one (contract, section 3)."""

MAX_LINKED_ENTRIES = 10_000
"""Files and folders that are looked at through linked folders. Our decision: the largest published skill has 854 files,
and a hundred links to one big folder could keep an index busy for hours."""

_NEVER_SCRIPTS = frozenset(['SKILL.md', '__init__.py'])
_SCRIPT_FOLDERS = frozenset(['', 'scripts'])


@dataclass(frozen=True, slots=True)
class PackageFile:
    """One file of a package as the walk found it."""

    name: str
    """Skill-relative POSIX path."""

    path: str
    """Resolved absolute path."""

    size: int
    """Bytes."""

    executable: bool
    """Whether any execute bit is set."""

    signature: tuple[int, int, int, int, int]
    """Inode, size, times and mode: another one means another content."""

    @property
    def folder(self) -> str:
        """The path of its folder, empty in the root."""
        return self.name.rpartition('/')[0]


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file and what it is."""

    file: PackageFile
    kind: Kind
    runnable: bool
    """Whether it would be a script but for its folder, or is one."""


Report: TypeAlias = Callable[[str], None]
"""Told, in a sentence, of each file that the walk had to leave out."""


def warn_user(message: str) -> None:
    """The `Report` that gives a `UserWarning`."""
    warnings.warn(message, UserWarning, stacklevel=2)


def walk(directory: Path, boundary: Path | None = None, report: Report | None = None) -> Iterator[PackageFile]:
    """Every regular file of the package in `directory`, without what the default excludes shut out.

    Stops at a nested `SKILL.md`, whose folder is another skill. Follows links only to what lies in `boundary`
    (the package itself where it is `None`) and reports each that leads out of it. A linked folder is
    listed once under its link's name; links inside it are not followed again, so no loop, and no more than
    `MAX_LINKED_ENTRIES` are looked at that way, so no blow-up.

    Raises:
        OSError: the package's folder itself cannot be listed.
    """
    root = os.path.realpath(directory)
    limit = root if boundary is None else os.path.realpath(boundary)
    links: list[tuple[str, str]] = []
    yield from sorted(_folder_files(root, '', limit, links, report), key=lambda file: file.name)
    budget = _Budget()
    for name, target in sorted(links):
        if not is_inside(root, target) and not os.path.isfile(os.path.join(target, 'SKILL.md')):
            found = _folder_files(target, name + '/', limit, None, report, budget)
            yield from sorted(found, key=lambda file: file.name)
        if budget.spent:
            if report is not None:
                report(f'Skipping {name} in {root} and the links after it: they lead to more files than any skill has.')
            break


@dataclass
class _Budget:
    left: int = MAX_LINKED_ENTRIES

    @property
    def spent(self) -> bool:
        return self.left < 0


def _folder_files(
    root: str,
    prefix: str,
    limit: str,
    links: list[tuple[str, str]] | None,
    report: Report | None,
    budget: _Budget | None = None,
) -> Iterator[PackageFile]:
    """The files below the folder `root`: a package's where there is no `budget`, else one that a link leads to."""
    pending = [(root, prefix)]
    while pending:
        folder, prefix = pending.pop()
        try:
            with os.scandir(folder) as scan:
                entries = list(scan)
        except OSError as error:
            if folder == root and budget is None:
                raise
            if report is not None:
                report(f'Skipping {folder}: it cannot be listed ({error.strerror}).')
            continue
        if folder != root and any(entry.name == 'SKILL.md' for entry in entries):
            continue
        if budget is not None:
            budget.left -= len(entries)
            if budget.spent:
                return
        instructions = skill_file_among(entry.name for entry in entries) if folder == limit else None
        for entry in entries:
            if is_excluded_part(entry.name):
                continue
            path = entry.path
            try:
                if entry.is_symlink():
                    path = os.path.realpath(entry.path)
                    # A SKILL.md that is itself a link is followed: in a local library links are the owner's.
                    if entry.name != instructions and (not is_inside(path, limit) or _hidden_target(path, limit)):
                        if report is not None:
                            report(_escape_message(entry.path, path))
                        continue
                info = entry.stat()
                if stat.S_ISDIR(info.st_mode):
                    if not entry.is_symlink():
                        pending.append((path, f'{prefix}{entry.name}/'))
                    elif links is not None:
                        links.append((prefix + entry.name, path))
                elif stat.S_ISREG(info.st_mode):
                    yield _package_file(prefix + entry.name, path, info)
            except OSError:
                continue  # gone since the listing, or a link that leads nowhere


def _hidden_target(path: str, limit: str) -> bool:
    return any(is_excluded_part(part) for part in os.path.relpath(path, limit).split(os.sep))


def _escape_message(link: str, target: str) -> str:
    return (
        f'Skipping {link}: the link leads to {target}, which is not a file of the skill. '
        'Copy the file into the skill instead.'
    )


def _package_file(name: str, path: str, info: os.stat_result) -> PackageFile:
    executable = bool(info.st_mode & 0o111)
    signature = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_mode)
    return PackageFile(name, path, info.st_size, executable, signature)


def is_skill_file(name: str) -> bool:
    """Whether a file in a package's root is its `SKILL.md`, in any case (macOS and Windows do not tell)."""
    return name.lower() == 'skill.md'


def skill_file_among(names: Iterable[str]) -> str | None:
    """Which of the names in a package's root is its `SKILL.md`: that one, else the first that differs only in case."""
    return min(filter(is_skill_file, names), key=lambda name: (name != 'SKILL.md', name), default=None)


def index_files(
    directory: Path, boundary: Path | None = None, report: Report | None = warn_user
) -> Iterator[IndexedFile]:
    """Each file of a package with its kind; its `SKILL.md`, in whatever case, is not among them.

    Raises:
        OSError: the package's folder cannot be listed.
    """
    for file in walk(directory, boundary, report):
        if not _is_offered(file, report):
            continue
        runnable, head = _is_runnable(file)
        if runnable and file.folder in _SCRIPT_FOLDERS:
            yield IndexedFile(file, 'script', True)
        elif (head := _head(file) if head is None else head) is not None:
            yield IndexedFile(file, 'resource' if is_text(head, file.size) else 'asset', runnable)


def script_names(files: Iterable[PackageFile]) -> Iterator[tuple[str, bool, bool]]:
    """Of each file that a walk found and a model can use: its name, whether it is a listed script, and whether it can
    be run. Cheaper than `index_files`, since text is not told from binary."""
    for file in files:
        if _is_offered(file, None):
            runnable, _ = _is_runnable(file)
            yield file.name, runnable and file.folder in _SCRIPT_FOLDERS, runnable


def _is_offered(file: PackageFile, report: Report | None) -> bool:
    if is_skill_file(file.name):
        return False
    if is_encodable(file.name):
        return True
    if report is not None:  # no model can name it, and no message to one could be encoded with it
        report(f'Skipping {file.path!r}: the name is not UTF-8. Rename it.')
    return False


def _is_runnable(file: PackageFile) -> tuple[bool, bytes | None]:
    """Whether a file would run, in whatever folder it is; and its beginning, where that had to be read."""
    base = file.name.rpartition('/')[2]
    stem, dot, extension = base.rpartition('.')
    extension = f'.{extension}'.lower() if dot and stem else ''
    if base in _NEVER_SCRIPTS or extension in _DOCUMENT_EXTENSIONS:
        return False, None
    if extension in SCRIPT_EXTENSIONS or file.executable:
        return True, None
    head = None if extension else _head(file)
    return head is not None and head.startswith(b'#!'), head


def _head(file: PackageFile) -> bytes | None:
    """The file's beginning; None where it cannot be read, and then it is no file of the skill."""
    try:
        descriptor = open_found(file.path, file.signature[0])
    except OSError:
        return None
    try:
        return os.read(descriptor, SNIFFED_BYTES)
    finally:
        os.close(descriptor)


def is_text(head: bytes, size: int) -> bool:
    """Whether a file that begins with `head` and has `size` bytes reads as UTF-8 text; a NUL means it does not."""
    if b'\0' in head:
        return False
    if head.isascii():
        return True
    try:
        codecs.getincrementaldecoder('utf-8')().decode(head, final=size <= len(head))
    except UnicodeDecodeError:
        return False
    return True
