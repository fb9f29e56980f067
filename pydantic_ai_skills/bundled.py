"""The "Bundled files" section: the exact names that the file tools take, at the end of a skill's instructions."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Sequence

from .members import SkillAsset, SkillResource, SkillScript
from .packages import SkillPackage
from .resources import size_text
from .usage import script_usage

LISTED_PER_KIND = 50
"""Files named per kind before only a count is given; measured: 73 of 6,450 published skills have more."""

SIZED_FROM = 100_000
"""Bytes from which a file's size is said, so that the model pages instead of reading it whole."""


def bundled_files(package: SkillPackage, *, resources: bool = True, scripts: bool = True) -> str:
    """The section for a package, or an empty string where no registered tool could use a file of it.

    Args:
        package: The skill's files.
        resources: Whether `read_skill_resource` is registered; assets go with it.
        scripts: Whether `run_skill_script` is registered.
    """
    parts: list[str] = []
    if resources:
        parts += _kind('Resources, read with `read_skill_resource`', map(_resource_line, package.resources))
        parts += _kind('Assets (not text)', map(_asset_line, package.assets))
    if scripts:
        parts += _kind('Scripts, run with `run_skill_script`', map(_script_line, package.scripts))
    return '\n\n'.join(['## Bundled files', *parts]) if parts else ''


def is_listable(name: str) -> bool:
    """Whether a name can stand in a list for a model: no control or formatting character could forge a line."""
    return not any(unicodedata.category(character) in ('Cc', 'Cf', 'Zl', 'Zp', 'Cs') for character in name)


def _kind(title: str, lines: Iterable[str | None]) -> Sequence[str]:
    listed = [line for line in lines if line is not None]
    if not listed:
        return ()
    text = '\n'.join([f'{title}:', *listed[:LISTED_PER_KIND]])
    if (more := len(listed) - LISTED_PER_KIND) > 0:
        text += f'\n- and {more:,} more'
    return (text,)


def _resource_line(resource: SkillResource) -> str | None:
    if not is_listable(resource.name):
        return None
    notes = _size_note(resource.uri) if resource.function is None and resource.content is None else ''
    return f'- {resource.name}{notes}' + _described(resource)


def _script_line(script: SkillScript) -> str | None:
    if not is_listable(script.name):
        return None
    if script.uri is None or script.description:
        return f'- {script.name}' + _described(script)
    usage = script_usage(script.uri, script.root)
    if usage is None:
        return f'- {script.name}'
    line = f'- {script.name} {usage.arguments}' if usage.arguments else f'- {script.name}'
    line += f': {usage.summary}' if usage.summary else ''
    return line if is_listable(line) else f'- {script.name}'


def _asset_line(asset: SkillAsset) -> str | None:
    if not is_listable(asset.name):
        return None
    size = f', {size_text(asset.size)}' if asset.size >= SIZED_FROM else ''
    return f'- {asset.name} ({asset.media_type}{size})'


def _described(member: SkillResource | SkillScript) -> str:
    description = member.description
    arguments = ''
    if member.call is not None:
        description = description or member.call.description
        arguments = member.call.signature()
    text = f': {" ".join(description.split())}' if description else ''
    return text + (f' (args: {arguments})' if arguments else '')


def _size_note(uri: str | None) -> str:
    try:
        size = os.stat(uri).st_size if uri else 0
    except OSError:
        size = 0
    return f' ({size_text(size)})' if size >= SIZED_FROM else ''
