"""From `SKILL.md` files to definitions: harness judges each text, mended where it would refuse it as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic_ai_harness.skills import SkillDefinition

from .codes import CODES, DESCRIPTION_LONG, FIELDS_IGNORED, NAME_RISKY, REFUSED, Finding
from .definitions import parse_definitions
from .names import DEFAULT_CAPABILITY_IDS, is_legal_name, normalize_name
from .repair import Repaired, repair

MAX_DESCRIPTION_CHARACTERS = 1024
"""The longest description that the format allows; a longer one is kept, and told of (as harness does)."""

_AT_ONCE = 256  # texts in one batch: each is there several times over while it is read


class SkillSource(NamedTuple):
    """A `SKILL.md` to read."""

    folder: str
    """The name of the folder that it is in, as it is on disk."""

    raw: bytes
    """Its bytes. More than `MAX_SKILL_BYTES` is refused, so no more than that and one need be read."""


@dataclass(frozen=True)
class ReadSkill:
    """What became of a `SKILL.md`."""

    id: str
    """The id that the skill goes by, or would; empty where it has no name that could be one."""

    definition: SkillDefinition | None
    """What it means, by harness; its `path` is a virtual one. `None`: the skill is left out, and the last finding says why."""

    findings: tuple[Finding, ...] = ()
    """What was mended, why it was left out, and what is worth knowing."""

    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Its frontmatter as text, lists and mappings, for what harness does not keep."""


def read_skills(sources: Sequence[SkillSource], *, strict: bool = False) -> list[ReadSkill]:
    """Read `SKILL.md` files, each by itself: none can fail another, or take more than a second.

    Measured: 0.8 ms each, of which 0.12 for looking whether something has to be mended. That is looked at first, for a
    text that harness is sure to refuse need not be handed to it twice.

    Args:
        sources: The files. Two of one id are both read.
        strict: Whether to leave out what harness refuses as it is, instead of mending it.
    """
    read = _read_strictly if strict else _read
    chunks = (sources[start : start + _AT_ONCE] for start in range(0, len(sources), _AT_ONCE))
    return [skill for chunk in chunks for skill in read(chunk)]


def _read_strictly(sources: Sequence[SkillSource]) -> list[ReadSkill]:
    names = [normalize_name(source.folder) for source in sources]
    outcomes = _parse(names, dict(enumerate(source.raw for source in sources)))
    return [
        _told_strictly(source, repair(source.raw, source.folder), outcomes[index])
        for index, source in enumerate(sources)
    ]


def _read(sources: Sequence[SkillSource]) -> list[ReadSkill]:
    repairs = [repair(source.raw, source.folder) for source in sources]
    ids = [repaired.id for repaired in repairs]
    mended = [_mended(source, repaired) for source, repaired in zip(sources, repairs, strict=True)]
    first = [
        source.raw if text is None or not repaired.certain else text
        for source, repaired, text in zip(sources, repairs, mended, strict=True)
    ]
    outcomes = _parse(ids, dict(enumerate(first)))
    second = {
        index: text
        for index, (text, repaired) in enumerate(zip(mended, repairs, strict=True))
        if text is not None and not repaired.certain and isinstance(outcomes[index], str)
    }
    outcomes |= _parse(ids, second)
    return [
        _told(repaired, outcomes[index], mended[index] is None or repaired.certain or index in second)
        for index, repaired in enumerate(repairs)
    ]


def _mended(source: SkillSource, repaired: Repaired) -> bytes | None:
    """The text to offer instead of the file's, if there is another."""
    raw = None if repaired.text is None else repaired.text.encode('utf-8')
    return None if raw == source.raw else raw


def _parse(names: Sequence[str], texts: Mapping[int, bytes]) -> dict[int, SkillDefinition | str]:
    """What harness says to each text, under its name; several rounds where several have one."""
    outcomes: dict[int, SkillDefinition | str] = {}
    pending = dict(texts)
    while pending:
        by_name: dict[str, int] = {}
        for index in pending:
            by_name.setdefault(names[index], index)
        found = parse_definitions({name: pending.pop(index) for name, index in by_name.items()})
        outcomes |= {by_name[name]: outcome for name, outcome in found.items()}
    return outcomes


def _told(repaired: Repaired, outcome: SkillDefinition | str, as_mended: bool) -> ReadSkill:
    if not isinstance(outcome, str):
        # Where harness took the text as it was after all, only the folder's name can have been mended.
        findings = repaired.findings if as_mended and repaired.text is not None else ()
        return ReadSkill(repaired.id, outcome, (*findings, *_advice(outcome)), repaired.fields)
    error = Finding(REFUSED, outcome, CODES[REFUSED].remedy) if repaired.text is not None else repaired.findings[-1]
    return ReadSkill(repaired.id, None, (error,), repaired.fields)


def _told_strictly(source: SkillSource, repaired: Repaired, outcome: SkillDefinition | str) -> ReadSkill:
    if not isinstance(outcome, str):
        return ReadSkill(outcome.name, outcome, _advice(outcome), repaired.fields)
    code = repaired.findings[0].code if repaired.findings else REFUSED
    name = normalize_name(source.folder) if is_legal_name(source.folder) else repaired.id
    return ReadSkill(name, None, (Finding(code, outcome, CODES[code].remedy, 'error'),), repaired.fields)


def _advice(definition: SkillDefinition) -> tuple[Finding, ...]:
    found: list[Finding] = []
    if (length := len(definition.description)) > MAX_DESCRIPTION_CHARACTERS:
        message = (
            f'SKILL.md has a description of {length:,} characters; the format allows {MAX_DESCRIPTION_CHARACTERS:,}.'
        )
        found.append(Finding(DESCRIPTION_LONG, message, CODES[DESCRIPTION_LONG].remedy))
    if definition.ignored_behavioral_fields:
        names = ', '.join(f'`{name}`' for name in definition.ignored_behavioral_fields)
        found.append(Finding(FIELDS_IGNORED, f'SKILL.md has fields that nothing acts on here: {names}.'))
    if definition.name in DEFAULT_CAPABILITY_IDS:
        message = f'SKILL.md has the name {definition.name!r}, which a capability of Pydantic AI has by default.'
        found.append(Finding(NAME_RISKY, message, CODES[NAME_RISKY].remedy))
    return tuple(found)
