from __future__ import annotations

from pathlib import Path

import pytest
from pydantic_ai import BinaryContent

from pydantic_ai_skills.binary import MAX_ATTACHED_BYTES, attach, attachment, media_type_of
from pydantic_ai_skills.files import UnsafeFileError

PNG = b'\x89PNG\r\n\x1a\n' + b'\xff\xfe\x00' * 100
HEADS = {
    'a.png': (PNG, 'image/png'),
    'a.jpg': (b'\xff\xd8\xff\xe0\x00\x10JFIF\x00', 'image/jpeg'),
    'a.gif': (b'GIF89a\x01\x00', 'image/gif'),
    'a.webp': (b'RIFF\x00\x00\x00\x00WEBPVP8 ', 'image/webp'),
    'a.pdf': (b'%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'application/pdf'),
    'a.wav': (b'RIFF\x24\x00\x00\x00WAVEfmt ', 'audio/wav'),
    'a.mp3': (b'ID3\x03\x00\x00\x00', 'audio/mpeg'),
    'a.flac': (b'fLaC\0\0\0\x22', 'audio/flac'),
    'a.ogg': (b'OggS\x00\x02' + b'\0' * 22 + b'\x01vorbis', 'audio/ogg'),
    'a.mp4': (b'\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom', 'video/mp4'),
}


@pytest.mark.parametrize('name', HEADS)
def test_types_come_from_the_content(name: str) -> None:
    head, kind = HEADS[name]
    assert media_type_of(head, name) == kind
    assert media_type_of(head, 'no-suffix') == kind
    assert media_type_of(head, 'called.docx') == kind
    assert attachment(head, 'lies.png' if kind != 'image/png' else 'lies.pdf') == BinaryContent(
        head, media_type=kind, identifier='lies.png' if kind != 'image/png' else 'lies.pdf'
    )


@pytest.mark.parametrize(
    ('head', 'name', 'kind'),
    [
        (b'just text', 'a.png', 'application/octet-stream'),
        (bytes(range(256)), 'a.pdf', 'application/octet-stream'),
        (b'BM\x8a\0\0\0\0\0', 'a.png', 'application/octet-stream'),
        (b'', 'a.png', 'application/octet-stream'),
        (b'PK\x03\x04\x14\0', 'a.zip', 'application/zip'),
        (b'\0\1\0\0\0\x0c\0\x80', 'a.ttf', 'font/ttf'),
        (b'{}', 'a.json', 'application/json'),
        (b'\0\1\2', 'a', 'application/octet-stream'),
    ],
)
def test_what_is_no_image_is_not_called_one(head: bytes, name: str, kind: str) -> None:
    assert media_type_of(head, name) == kind
    assert attachment(head, name) is None


def test_files_of_up_to_five_mebibytes_are_attached(tmp_path: Path) -> None:
    path = tmp_path / 'a.png'
    for size, attached in ((MAX_ATTACHED_BYTES, True), (MAX_ATTACHED_BYTES + 1, False)):
        path.write_bytes(PNG + b'\0' * (size - len(PNG)))
        content = attach(tmp_path, path, 'assets/a.png')
        assert (content is not None) is attached
    path.write_bytes(PNG)
    assert attach(tmp_path, path, 'assets/a.png') == BinaryContent(
        PNG, media_type='image/png', identifier='assets/a.png'
    )


def test_no_image_and_no_file_of_the_skill(tmp_path: Path) -> None:
    (tmp_path / 'x.bin').write_bytes(b'\0\1')
    assert attach(tmp_path, tmp_path / 'x.bin', 'x.bin') is None
    skill = tmp_path / 'skill'
    skill.mkdir()
    (skill / 'out.png').symlink_to(tmp_path / 'x.bin')
    with pytest.raises(UnsafeFileError):
        attach(skill, skill / 'out.png', 'out.png')
    with pytest.raises(FileNotFoundError):
        attach(skill, skill / 'gone.png', 'gone.png')
