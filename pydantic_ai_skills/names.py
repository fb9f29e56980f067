"""Which names a skill may have, and which it gets when its folder or frontmatter has another.

The rule of a legal name is the format's (agentskills.io), as harness applies it: at most 64 lowercase Unicode
letters or numbers and single hyphens, none at the ends, compared after NFKC.
"""

from __future__ import annotations

import re
import unicodedata

MAX_NAME_LENGTH = 64
"""Characters in a legal name at most: the format's limit."""

DEFAULT_CAPABILITY_IDS = frozenset([
    'advisor', 'caching', 'citations', 'instrumentation', 'localstack', 'macroscope', 'memory', 'planning', 'skills',
    'thinking',
])  # fmt: skip
"""Legal skill names that capabilities of Pydantic AI (2.62) and harness (0.62) have as their default ids.

An agent refuses two capabilities of one id, so a skill of such a name and that capability do not go together.
"""

_WORD_BOUNDARY = re.compile(r'([a-z\d])([A-Z])')


def normalize_name(name: str) -> str:
    """The spelling under which a name is compared: Unicode NFKC, so composed and full-width forms are one."""
    return unicodedata.normalize('NFKC', name)


def is_legal_name(name: str) -> bool:
    """Whether `name`, once normalised, is a legal skill name."""
    name = normalize_name(name)
    return (
        0 < len(name) <= MAX_NAME_LENGTH
        and name == name.lower()
        and not name.startswith('-')
        and not name.endswith('-')
        and '--' not in name
        and name.replace('-', '').isalnum()
    )


def slug(name: str) -> str:
    """The legal name nearest to `name`: `twoFactor` becomes `two-factor`, `My Skill` becomes `my-skill`.

    Empty where nothing legal is left, as of `'___'`.
    """
    text = _WORD_BOUNDARY.sub(r'\1-\2', normalize_name(name)).lower()
    text = normalize_name(''.join(character if character.isalnum() else '-' for character in text)).lower()
    text = re.sub('-+', '-', text).strip('-')[:MAX_NAME_LENGTH].strip('-')
    return text if is_legal_name(text) else ''


def skill_id(directory_name: str, frontmatter_name: str | None = None) -> str:
    """The id a package goes by: its directory's name if legal, else the frontmatter's if legal, else a slug.

    Our decision: the directory is what paths and links say, and 5 % of published skills have another name in
    their frontmatter. Empty where neither name has a letter or number.
    """
    for name in (directory_name, frontmatter_name):
        if name is not None and is_legal_name(name):
            return normalize_name(name)
    return slug(directory_name) or slug(frontmatter_name or '')
