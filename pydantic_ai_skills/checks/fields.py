"""The format's rules for the frontmatter, where the runtime is more tolerant than the format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from .checked import CheckedPackage
from .problem import Problem, problem
from .rules import MAX_COMPATIBILITY_LENGTH

FORMAT_FIELDS = frozenset(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'])
"""The fields of agentskills.io."""

EXTENSIONS = frozenset(['disable-model-invocation', 'user-invocable'])
"""Fields beyond the format that this package acts on."""


def check_fields(package: CheckedPackage) -> Iterator[Problem]:
    """Check the frontmatter; one that cannot be read is the runtime's to report."""
    fields, path = package.fields, package.skill_file
    if not fields:
        return
    if 'name' not in fields:
        yield problem('name-missing', path, f'{path}: the frontmatter has no name.')
    for name in fields:
        if name in EXTENSIONS:
            message = f'{path}: the field {name!r} is none of the format; other clients may refuse it.'
            yield problem('field-extension', path, message, line=package.field_line(name))
        elif name not in FORMAT_FIELDS:
            message = f'{path}: the format knows no field {str(name)!r}.'
            yield problem('field-unknown', path, message, line=package.field_line(str(name)))
    yield from _check_compatibility(package)
    yield from _check_metadata(package)
    if isinstance(fields.get('allowed-tools'), list):
        line = package.field_line('allowed-tools')
        yield problem('allowed-tools-list', path, f'{path}: allowed-tools is a list, not a text.', line=line)


def _check_compatibility(package: CheckedPackage) -> Iterator[Problem]:
    if 'compatibility' not in package.fields:
        return
    value, path, line = package.fields['compatibility'], package.skill_file, package.field_line('compatibility')
    if not isinstance(value, str) or not value.strip():
        yield problem('compatibility-invalid', path, f'{path}: compatibility is empty, or no text.', line=line)
    elif len(value) > MAX_COMPATIBILITY_LENGTH:
        message = f'{path}: compatibility has {len(value):,} characters, more than {MAX_COMPATIBILITY_LENGTH}.'
        yield problem('compatibility-long', path, message, line=line)


def _check_metadata(package: CheckedPackage) -> Iterator[Problem]:
    value, path, line = package.fields.get('metadata'), package.skill_file, package.field_line('metadata')
    if value is None or value == '':
        return
    if not isinstance(value, Mapping):
        yield problem('metadata-invalid', path, f'{path}: metadata is no mapping of names to text.', line=line)
        return
    entries = cast('Mapping[str, object]', value)
    if odd := sorted(str(key) for key, inner in entries.items() if not isinstance(inner, str)):
        yield problem('metadata-not-text', path, f'{path}: metadata has no text for {", ".join(odd)}.', line=line)
