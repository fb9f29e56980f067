"""Whether a name can be a skill's, said so that a person can mend it."""

from __future__ import annotations

from ..names import MAX_NAME_LENGTH, is_legal_name, normalize_name, slug


def name_fault(name: str) -> str | None:
    """What is wrong with a name for a new skill, and which would do; `None` where nothing is."""
    if is_legal_name(name) and normalize_name(name) == name:
        return None
    instead = slug(name)
    hint = f' {instead!r} would do.' if instead else ''
    return (
        f'{name!r} is no legal skill name: at most {MAX_NAME_LENGTH} lowercase letters, digits and single hyphens, '
        f'none at the ends.{hint}'
    )
