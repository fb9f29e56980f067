"""Reading a file that is no text: what it is and where, and the file itself where the host wants that."""

from __future__ import annotations

from pathlib import Path

from pydantic_ai import BinaryContent

from .binary import attach, media_type_of
from .files import open_inside
from .members import SkillAsset
from .resources import describe_asset, guess_media_type

_SNIFFED_BYTES = 8 * 1024


def read_asset(asset: SkillAsset, attached: bool) -> str | list[str | BinaryContent]:
    """A line that says what an asset is: media type by its bytes, size, path; and the file, if it is to be attached.

    Attached are images, PDFs, sound and video up to 5 MiB.

    Raises:
        OSError: it is gone, or no longer a regular file of its package.
    """
    path = Path(asset.uri)
    root = asset.root or path.parent
    with open(open_inside(root, path), 'rb') as file:
        kind = media_type_of(file.read(_SNIFFED_BYTES), asset.name)
        size = file.seek(0, 2)
    if kind == 'application/octet-stream':
        kind = guess_media_type(asset.name)  # bytes that say nothing: the name says at least what its author meant
    if attached and (content := attach(root, path, asset.name)) is not None:
        return [f'{asset.name} ({kind}, {size:,} bytes):', content]
    return describe_asset(asset.name, asset.uri, size, kind)
