from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import BinaryContent

from pydantic_ai_skills.executors import LocalSkillScriptExecutor, outputs
from pydantic_ai_skills.executors.outputs import OutputFile, OutputFiles, outputs_in, outputs_in_tar, with_outputs

PNG = b'\x89PNG\r\n\x1a\n' + b'\0' * 20


def test_a_local_script_gives_what_it_left(package: Any) -> None:
    body = (
        'import os\nos.chdir(os.environ["SKILL_OUTPUT_DIR"])\nos.mkdir("sub")\n'
        f'open("sub/chart.png", "wb").write({PNG!r})\nopen("a.csv", "w").write("a,b\\n")\n'
        'os.symlink("/etc/passwd", "link")\nos.mkfifo("fifo")\nprint("done")\n'
    )
    text, image = package.run('x.py', body, executor=LocalSkillScriptExecutor(collect_outputs=True))
    assert text == (
        'done\n\nFiles that the script left:\n- a.csv (text/csv, 4 bytes):\na,b\n\n- sub/chart.png (image/png, 28 bytes)'
    )
    assert image == BinaryContent(PNG, media_type='image/png', identifier='sub/chart.png')
    assert package.run('y.py', 'print(1)', executor=LocalSkillScriptExecutor(collect_outputs=True)) == '1'
    assert package.run('x.py', executor=LocalSkillScriptExecutor()) == 'done'


def test_at_most_so_many_files_and_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(outputs.MAX_FILES + 3):
        (tmp_path / f'{number:03}.bin').write_bytes(b'\0' * 10)
    monkeypatch.setattr(outputs, 'MAX_BYTES', 25)
    found = outputs_in(tmp_path)
    assert len(found.files) == 50
    assert found.more == 3
    assert [file.content is not None for file in found.files[:4]] == [True, True, False, False]
    text = with_outputs('out', found, 100)
    assert isinstance(text, str)
    assert '- 002.bin (application/octet-stream, 10 bytes): not fetched, it is too large' in text
    assert text.endswith('- and 3 more')


def packed(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode='w') as tar:
        for info, content in members:
            info.size = len(content) if info.isreg() else 0
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = '/etc/passwd'
    return info


def test_an_archive_is_trusted_in_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    archive = packed(
        (member('./b.txt'), b'b'),
        (member('../../a.txt'), b'a'),
        (member('link', tarfile.SYMTYPE), b''),
        (member('fifo', tarfile.FIFOTYPE), b''),
        (member('device', tarfile.CHRTYPE), b''),
    )
    assert outputs_in_tar(archive) == OutputFiles((OutputFile('../../a.txt', 1, b'a'), OutputFile('b.txt', 1, b'b')))
    cut = outputs_in_tar(archive[:700])
    assert len(cut.files) <= 1
    assert outputs_in_tar(b'no archive').problem is not None
    monkeypatch.setattr(outputs, 'MAX_FILES', 1)
    assert outputs_in_tar(archive).more == 1


def test_text_up_to_the_limit_and_names_that_cannot_forge_lines() -> None:
    found = OutputFiles((OutputFile('a\nb.txt', 5, b'short'), OutputFile('c.txt', 20, b'x' * 20)))
    text = with_outputs('', found, 10)
    assert (
        text
        == '\n\nFiles that the script left:\n- a\\nb.txt (text/plain, 5 bytes):\nshort\n- c.txt (text/plain, 20 bytes)'
    )


def test_a_problem_is_told_even_without_files() -> None:
    assert with_outputs('x', OutputFiles(problem='they could not be fetched'), 10) == (
        'x\n\nFiles that the script left:\n- they could not be fetched'
    )
    assert with_outputs('x', OutputFiles(), 10) == 'x'


def test_files_that_vanish_while_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'a').write_text('a')
    (tmp_path / 'b').write_text('b')
    real = outputs.read_inside

    def vanish(root: Path, path: Path, limit: int) -> bytes:
        if path.name == 'a':
            os.unlink(path)
        return real(root, path, limit)

    monkeypatch.setattr(outputs, 'read_inside', vanish)
    found = outputs_in(tmp_path)
    assert found.files == (OutputFile('a', 1, None), OutputFile('b', 1, b'b'))
