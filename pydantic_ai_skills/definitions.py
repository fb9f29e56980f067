"""What `SKILL.md` texts mean, according to harness: its loader is handed the texts and keeps its say.

`pydantic_ai_harness.skills.Skills` reads skills from a workspace. Ours holds texts in memory and never suspends, so
the loader's coroutine runs to its end when it is started, with an event loop or without. Measured: 0.65 ms a skill, of
which harness's parser takes 0.5; by a `LocalWorkspaceBackend` it is 1.7 ms.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Never

from pydantic_ai.workspaces import FileEntry, WorkspaceReadOnlyError, WorkspaceRef
from pydantic_ai_harness.skills import SkillCatalog, SkillDefinition, Skills

from .codes import Finding
from .encoding import is_encodable
from .frontmatter import MAX_SKILL_BYTES, frontmatter_obstacle, split_frontmatter
from .lines import Shielded, shield, single_separator, skip_blank_lines, without_blank_ends
from .names import normalize_name

_LIBRARY = '/skills'
_MAX_MESSAGE = 400
_WHITESPACE = re.compile(r'\s+')
_DOCUMENTATION = re.compile(r'\s*For further information visit \S+')


def parse_definitions(texts: Mapping[str, bytes]) -> dict[str, SkillDefinition | str]:
    """Let harness read `SKILL.md` texts.

    Beyond harness: no text can fail the others, or take long (see `frontmatter_obstacle`); a line ends only where the
    format says (see `pydantic_ai_skills.lines`), so a body comes through as it is, but for its line ends, which are
    line feeds; and so are all in a description, whatever ended its lines.

    Args:
        texts: The bytes of each `SKILL.md`, by the id the package is to have. It is the name of its folder as far as
            harness is concerned.

    Returns:
        For each id, in the order given, the definition (its `path` is a virtual one), or a sentence that says why
        there is none and calls the file `SKILL.md`.
    """
    found: dict[str, SkillDefinition | str] = {}
    shielded: dict[str, Shielded] = {}
    prepared: dict[str, bytes] = {}
    for name, raw in texts.items():
        if '/' in name or '\0' in name or name in ('', '.', '..'):
            found[name] = f'{name!r} is no name of a folder.'
            continue
        if len(raw) > MAX_SKILL_BYTES:
            found[name] = f'SKILL.md has more than {MAX_SKILL_BYTES:,} bytes.'
            continue
        try:
            text = raw.decode('utf-8')
        except UnicodeDecodeError as error:
            found[name] = f'SKILL.md is not valid UTF-8: {error}'
            continue
        shielded[name] = shield(text)
        prepared_text = _prepared(shielded[name].text)
        if isinstance(prepared_text, Finding):
            found[name] = prepared_text.message
        else:
            prepared[name] = prepared_text.encode('utf-8')
    for name, outcome in _judged(prepared).items():
        found[name] = _restored(outcome, shielded[name])
    return {name: found[name] for name in texts}


def _prepared(text: str) -> str | Finding:
    """The text as harness gets it, without blank lines above its body, or why harness does not get it.

    Harness drops such lines too, in time that grows with their square: 3.7 s for 200,000 (measured).
    """
    span = split_frontmatter(text)
    if span is None:
        return text
    if (obstacle := frontmatter_obstacle(text[span.start : span.stop])) is not None:
        return obstacle
    return text[: span.end] + text[skip_blank_lines(text, span.end) :]


def _restored(outcome: SkillDefinition | str, shielded: Shielded) -> SkillDefinition | str:
    if isinstance(outcome, str):
        return _one_line(shielded.restore(outcome))
    description = single_separator(shielded.restore(outcome.description)).strip()
    if not description:
        return 'SKILL.md has a description of nothing but line separators.'
    if not is_encodable(description):  # no request could carry it, and each carries all descriptions
        return 'SKILL.md has half of an escaped character in its description, such as \\ud83d without what follows it.'
    return replace(outcome, description=description, body=without_blank_ends(shielded.restore(outcome.body)))


def _one_line(message: str) -> str:
    line = _WHITESPACE.sub(' ', _DOCUMENTATION.sub('', message)).strip()
    return line if len(line) <= _MAX_MESSAGE else line[: _MAX_MESSAGE - 1] + '…'


def _judged(texts: Mapping[str, bytes]) -> dict[str, SkillDefinition | str]:
    """What harness says to each text. One that fails the whole loader is found out and the others tried again."""
    found: dict[str, SkillDefinition | str] = {}
    pending = [texts]
    while pending:
        batch = dict(pending.pop())
        names: set[str] = set()
        same = {name for name in batch if normalize_name(name) in names or names.add(normalize_name(name))}
        if same:  # harness would take two spellings of one name for one skill
            pending.append({name: batch.pop(name) for name in same})
        workspace = _Texts(batch)
        try:
            catalog = _load(workspace) if batch else SkillCatalog(skills=(), skipped=())
        except Exception as error:
            # Harness takes a ValueError for a text's fault and lets others out: RecursionError from deeply nested
            # YAML, OverflowError from an escape beyond Unicode. The text read last is the one.
            if (culprit := workspace.last_read) is None:
                raise
            found[culprit] = f'SKILL.md cannot be parsed: {error or type(error).__name__}.'
            order = sorted(batch)
            index = order.index(culprit)
            pending += [{name: batch[name] for name in part} for part in (order[:index], order[index + 1 :])]
            continue
        for definition in catalog.skills:
            found[posixpath.basename(definition.directory)] = definition
        for skipped in catalog.skipped:
            message = skipped.message.removeprefix(f'Skipping {skipped.path}: ').replace(skipped.path, 'SKILL.md')
            found[posixpath.basename(posixpath.dirname(skipped.path))] = message
    return found


def _load(workspace: _Texts) -> SkillCatalog:
    coroutine = Skills[None](_LIBRARY, workspace=workspace).load()
    try:
        coroutine.send(None)
    except StopIteration as finished:
        return finished.value
    coroutine.close()
    raise RuntimeError(
        'pydantic-ai-harness waited for something while it read skills from memory, which it did not do up to 0.62. '
        'Install a version of pydantic-ai-skills that knows this one.'
    )


@dataclass
class _Texts:
    """A read-only workspace (`WorkspaceBackend`, `SupportsFilesystem`): one library of `SKILL.md` files in memory."""

    texts: Mapping[str, bytes]
    last_read: str | None = None

    @property
    def ref(self) -> WorkspaceRef | None:
        return None

    async def working_dir(self) -> str:
        return '/'

    async def stat(self, path: str) -> FileEntry:
        folder, name = posixpath.split(path)
        if path == _LIBRARY:
            return _entry(path, True)
        if folder == _LIBRARY and name in self.texts:
            return _entry(path, True)
        if name == 'SKILL.md' and posixpath.dirname(folder) == _LIBRARY and posixpath.basename(folder) in self.texts:
            return _entry(path, False)
        raise FileNotFoundError(path)

    async def exists(self, path: str) -> bool:
        try:
            await self.stat(path)
        except FileNotFoundError:
            return False
        return True

    async def list_dir(self, path: str) -> Sequence[FileEntry]:
        if path == _LIBRARY:
            return [_entry(f'{path}/{name}', True) for name in self.texts]
        if (await self.stat(path)).is_dir:
            return [_entry(f'{path}/SKILL.md', False)]
        raise NotADirectoryError(path)

    async def read_bytes(self, path: str) -> bytes:
        if (await self.stat(path)).is_dir:
            raise IsADirectoryError(path)
        self.last_read = posixpath.basename(posixpath.dirname(path))
        return self.texts[self.last_read]

    async def write_bytes(self, path: str, data: bytes) -> Never:
        raise WorkspaceReadOnlyError(path)

    async def make_dir(self, path: str) -> Never:
        raise WorkspaceReadOnlyError(path)

    async def remove(self, path: str) -> Never:
        raise WorkspaceReadOnlyError(path)


def _entry(path: str, is_dir: bool) -> FileEntry:
    return FileEntry(name=posixpath.basename(path), path=path, is_dir=is_dir, size=None)
