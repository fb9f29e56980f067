"""Our own reading of a `SKILL.md`'s frontmatter, for what harness does not keep: licence, compatibility, metadata.

Values stay text or plain lists and mappings of text, as written: no YAML types, so `1.10` is not a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

_FENCED = re.compile(r'\A---[ \t]*\r?\n(.*?)(?:^|\n)---[ \t]*(?:\r?\n|\Z)', re.DOTALL | re.MULTILINE)
_Loader: Any = getattr(yaml, 'CBaseLoader', yaml.BaseLoader)


def frontmatter_of(text: str) -> str | None:
    """The YAML between the two fences at the top of a `SKILL.md`, or `None` where there is none."""
    found = _FENCED.match(text)
    return None if found is None else found[1]


def frontmatter_fields(text: str) -> Mapping[str, Any]:
    """The frontmatter of a `SKILL.md` as a mapping; empty where it has none that parses."""
    source = frontmatter_of(text)
    if source is None:
        return {}
    try:
        parsed: object = yaml.load(source, Loader=_Loader)
    except (yaml.YAMLError, RecursionError, ValueError, TypeError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def text_field(fields: Mapping[str, Any], name: str) -> str | None:
    """A field that should be text; `None` where it is missing or something else."""
    value = fields.get(name)
    return value if isinstance(value, str) else None
