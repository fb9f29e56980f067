"""Binary files as what a model can look at: images, PDFs, sound and video, by what they are and not what they are called."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic_ai import BinaryContent

from .files import open_inside
from .resources import guess_media_type

MAX_ATTACHED_BYTES = 5 * 1024 * 1024
"""The largest file that is attached: 5 MiB (contract, section 3), which every provider takes."""

_SNIFFED_BYTES = 8 * 1024
_SAME_TYPE = {
    'application/ogg': 'audio/ogg',
    'audio/wave': 'audio/wav',
    'audio/x-wav': 'audio/wav',
    'audio/vnd.wave': 'audio/wav',
    'audio/x-flac': 'audio/flac',
    'audio/x-aiff': 'audio/aiff',
    'audio/x-m4a': 'audio/mp4',
    'audio/mp3': 'audio/mpeg',
    'image/heif': 'image/heic',
    'image/jpg': 'image/jpeg',
    'image/vnd.microsoft.icon': 'image/x-icon',
    'video/avi': 'video/x-msvideo',
    'image/x-ms-bmp': 'image/bmp',
}
_ATTACHED = frozenset(
    'application/pdf image/png image/jpeg image/gif image/webp image/bmp image/tiff image/avif image/heic image/x-icon '
    'audio/mpeg audio/wav audio/flac audio/ogg audio/mp4 audio/aac audio/aiff '
    'video/mp4 video/quicktime video/webm video/x-matroska video/mpeg video/x-msvideo video/3gpp'.split()
)  # what models are given; content sniffing knows a hundred more, of formats nobody sends
_SURE = 0.3  # puremagic's word for three matching bytes; fewer count only where the file's name says the same


def media_type_of(head: bytes, name: str) -> str:
    """The media type of a file by its first bytes; by its name where these say nothing.

    A name is believed over the bytes only where both agree on what kind of thing it is, such as a `.docx`, whose
    bytes are those of any zip file.
    """
    named = _same(guess_media_type(name))
    found = _types_in(head[:_SNIFFED_BYTES])
    if any(kind == named for kind, _ in found):
        return named
    for kind, confidence in found:
        if kind in _ATTACHED and confidence >= _SURE:
            return kind
    # What is called an image but whose bytes are not one is no image.
    return 'application/octet-stream' if named in _ATTACHED else named


def attachment(data: bytes, name: str) -> BinaryContent | None:
    """`data` for a model to look at, if it is an image, a PDF, sound or video of at most 5 MiB; else `None`."""
    if not data or len(data) > MAX_ATTACHED_BYTES:
        return None
    kind = media_type_of(data, name)
    if kind not in _ATTACHED:
        return None
    return BinaryContent(data=data, media_type=kind, identifier=name)


def attach(root: Path, path: Path, name: str) -> BinaryContent | None:
    """A file of a package as `attachment`.

    Args:
        root: The folder that the file must lie in.
        path: The file.
        name: What the model calls it.

    Raises:
        OSError: it is gone, or no longer a regular file inside `root`.
    """
    with open(open_inside(root, path), 'rb') as file:
        head = file.read(_SNIFFED_BYTES)
        if media_type_of(head, name) not in _ATTACHED:
            return None
        data = head + file.read(MAX_ATTACHED_BYTES + 1 - len(head))
    return attachment(data, name)


def _same(kind: str) -> str:
    return _SAME_TYPE.get(kind, kind)


def _types_in(head: bytes) -> list[tuple[str, float]]:
    if not head:
        return []
    puremagic = _puremagic()
    try:
        matches = puremagic.magic_string(head)
    except (puremagic.PureError, ValueError):
        return []
    return [(_same(match.mime_type), match.confidence) for match in matches if match.mime_type]


@lru_cache(maxsize=1)
def _puremagic() -> Any:
    import puremagic  # 10 ms that only binary files need

    return puremagic
