from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_skills.registries import LocalSkillsRegistry
from pydantic_ai_skills.registries.durability import flush_tree
from pydantic_ai_skills.registries.generation import read_record
from pydantic_ai_skills.registries.store import Built, Draft, Store

from .helpers import in_child, names_in, write_skill


def fill(text: str) -> Any:
    """A source whose state is `text`."""

    def build(draft: Draft) -> Built | None:
        if draft.previous is not None and draft.previous.revision == text:
            return None
        write_skill(draft.start() / 'demo', notes__md=text)
        return Built(text, {'seen': text})

    return build


def generations(store: Store) -> list[str]:
    return sorted(path.name for path in (store.folder / 'generations').iterdir())


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / 'store', 'source')


def test_a_generation_is_swapped_in_and_the_last_one_stays_while_it_is_used(store: Store):
    assert store.current() is None and not store.is_ours
    first = store.update(fill('v1'))
    assert (first.library / 'demo/notes.md').read_text() == 'v1'
    assert (first.revision, first.details) == ('v1', {'seen': 'v1'})
    assert store.update(fill('v1')) == first
    second = store.update(fill('v2'))
    assert second.library != first.library and store.current() == second
    assert (first.library / 'demo/notes.md').read_text() == 'v1'
    assert generations(store) == sorted([first.folder.name, second.folder.name])


def test_generations_go_once_no_living_process_uses_them(store: Store):
    told, tell = os.pipe()
    released, release = os.pipe()

    def holds() -> None:
        os.close(release)
        os.write(tell, store.update(fill('v1')).folder.name.encode())
        os.read(released, 1)

    holder = os.fork()
    if holder == 0:
        holds()
        os._exit(0)
    held = os.read(told, 100).decode()
    assert in_child(lambda: store.update(fill('v2'))) == 0
    assert held in generations(store)
    assert in_child(lambda: store.update(fill('v3'))) == 0
    assert held in generations(store) and len(generations(store)) == 2  # v2 went: its process has ended
    os.kill(holder, signal.SIGKILL)  # as abruptly as it gets
    os.waitpid(holder, 0)
    os.close(release)
    assert in_child(lambda: store.update(fill('v3'))) == 0
    assert held not in generations(store) and len(generations(store)) == 1


@pytest.mark.parametrize(
    'damage',
    [
        lambda store, folder: (store.folder / 'current').unlink(),
        lambda store, folder: (store.folder / 'current').write_text(''),
        lambda store, folder: (store.folder / 'current').write_text('../../etc'),
        lambda store, folder: (store.folder / 'current').write_bytes(b'\xff\xfe'),
        lambda store, folder: shutil.rmtree(folder),
        lambda store, folder: (folder / 'generation.json').unlink(),
        lambda store, folder: (folder / 'generation.json').write_text('{'),
        lambda store, folder: (folder / 'generation.json').write_text('[' * 100_000),
        lambda store, folder: (folder / 'generation.json').write_text('{"format": 1}'),
        lambda store, folder: (folder / 'generation.json').write_text(
            json.dumps(json.loads((folder / 'generation.json').read_text()) | {'details': []})
        ),
        lambda store, folder: ((store.folder / 'current').unlink(), (store.folder / 'current').mkdir()),
        lambda store, folder: (shutil.rmtree(folder.parent), folder.parent.write_text('')),
        lambda store, folder: (shutil.rmtree(folder / 'library'), (folder / 'library').write_text('')),
        lambda store, folder: (
            (store.folder / 'current.new').mkdir(),
            (store.folder / 'checked').unlink(),
            (store.folder / 'checked').mkdir(),
            (store.folder / 'current').unlink(),
        ),
        lambda store, folder: (folder / 'library/demo/notes.md').unlink(),
        lambda store, folder: (folder / 'library/demo/notes.md').write_text('v2'),
        lambda store, folder: (folder / 'library/demo/SKILL.md').chmod(0o755),
        lambda store, folder: (folder / 'library/demo/more.md').write_text('x'),
        lambda store, folder: (
            (folder / 'library/demo/notes.md').unlink(),
            os.symlink('/etc/passwd', folder / 'library/demo/notes.md'),
        ),
    ],
)
def test_a_broken_store_is_made_anew(store: Store, damage: Any):
    assert in_child(lambda: store.update(fill('v1'))) == 0
    (name,) = generations(store)
    damage(store, store.folder / 'generations' / name)
    assert store.current() is None
    made = store.update(fill('v1'))
    assert (made.library / 'demo/notes.md').read_text() == 'v1' and made.folder.name != name
    assert generations(store) == [made.folder.name]


def test_files_are_compared_again_in_the_same_process_if_asked(tmp_path: Path):
    store = Store(tmp_path / 'store', 'source', verify_always=True)
    first = store.update(fill('v1'))
    (first.library / 'demo/notes.md').write_text('edited')
    assert store.current() is None
    assert (store.update(fill('v1')).library / 'demo/notes.md').read_text() == 'v1'


def test_another_source_in_the_same_store_is_not_mistaken(store: Store):
    store.update(fill('v1'))
    other = Store(store.folder, 'another')
    assert other.current() is None and other.current(any_source=True) is not None
    assert (other.update(fill('v1')).library / 'demo/notes.md').read_text() == 'v1'


@pytest.mark.parametrize('name', ['file.txt', '.git', 'current'])
def test_a_folder_that_is_not_ours_is_left_alone(store: Store, name: str):
    store.folder.mkdir()
    (store.folder / name).write_text('precious')
    with pytest.raises(ValueError, match='not empty and was not made by a registry'):
        store.update(fill('v1'))
    assert [path.name for path in store.folder.iterdir()] == [name]
    assert (store.folder / name).read_text() == 'precious'


def test_what_is_no_generation_goes_too(store: Store, tmp_path: Path):
    store.update(fill('v1'))
    (tmp_path / 'kept').mkdir()
    (tmp_path / 'kept/x').touch()
    (store.folder / 'generations/file').touch()
    (store.folder / 'generations/link').symlink_to(tmp_path / 'kept')
    made = store.update(fill('v1'))
    assert generations(store) == [made.folder.name] and (tmp_path / 'kept/x').exists()


def test_the_top_folder_of_a_volume_counts_as_empty(store: Store):
    (store.folder / 'lost+found').mkdir(parents=True)
    store.update(fill('v1'))
    assert (store.folder / 'lost+found').is_dir() and store.current() is not None


def test_a_file_in_the_way_is_refused(tmp_path: Path):
    (tmp_path / 'file').write_text('x')
    for folder in (tmp_path / 'file', tmp_path / 'file' / 'below'):
        with pytest.raises(ValueError, match='is a file'):
            Store(folder, 'source').update(fill('v1'))


def test_a_failed_build_changes_nothing_and_leaves_nothing(store: Store):
    first = store.update(fill('v1'))

    def fails(draft: Draft) -> Built | None:
        (draft.start() / 'half').mkdir()
        raise RuntimeError('no')

    with pytest.raises(RuntimeError, match='no'):
        store.update(fails)
    assert store.current() == first and generations(store) == [first.folder.name]


def test_leftovers_of_a_killed_sync_go(store: Store):
    store.update(fill('v1'))

    def dies(draft: Draft) -> Built | None:
        (draft.start() / 'half').mkdir()
        os.kill(os.getpid(), signal.SIGKILL)
        return None

    assert in_child(lambda: store.update(dies)) == -signal.SIGKILL
    (store.folder / 'current.new').write_text('half')
    assert len(generations(store)) == 2
    assert store.update(fill('v1')).revision == 'v1'
    assert len(generations(store)) == 1


def test_eight_processes_at_once_do_the_work_once(store: Store):
    told, tell = os.pipe()
    go, start = os.pipe()

    def build(draft: Draft) -> Built | None:
        built = fill('v1')(draft)
        os.write(tell, b'asked\n' if built is None else b'built\n')
        return built

    children: list[int] = []
    for _ in range(8):
        if (child := os.fork()) == 0:
            os.close(start)
            os.read(go, 1)
            library = store.update(build, asked=time.time()).library
            os.write(tell, f'{library}\n'.encode())
            os._exit(0)
        children.append(child)
    os.close(start)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    os.close(tell)
    with open(told) as stream:
        lines = stream.read().split()
    assert lines.count('built') == 1
    assert len(set(lines) - {'built', 'asked'}) == 1  # one library for all


def test_who_waited_takes_the_result_of_who_looked_meanwhile(store: Store):
    asked = time.time()
    first = store.update(fill('v1'))

    def unused(draft: Draft) -> Built | None:
        raise AssertionError('somebody has looked since')

    assert store.update(unused, asked=asked) == first
    assert store.update(fill('v2'), asked=time.time()) != first
    (store.folder / 'checked').write_text(json.dumps([time.time() + 1000, 'x']))  # a clock that was set back
    assert store.update(fill('v3'), asked=asked).revision == 'v3'


def test_threads_share_a_store(store: Store):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: store.update(fill('v1')), range(16)))
    assert len({generation.library for generation in made}) == 1 and len(generations(store)) == 1


def test_a_store_that_cannot_be_written_is_read():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        store = Store(Path(folder) / 'store', 'source')
        assert in_child(lambda: store.update(fill('v1'))) == 0
        folders = [store.folder, *(path for path in store.folder.rglob('*') if path.is_dir())]
        for path in folders:
            os.chmod(path, 0o555)

        def as_somebody_else() -> None:
            if os.geteuid() == 0:
                os.setresuid(65534, 65534, 65534)
            generation = store.current()
            assert generation is not None and (generation.library / 'demo/notes.md').read_text() == 'v1'
            with pytest.raises(OSError):
                store.update(fill('v1'))

        assert in_child(as_somebody_else) == 0
        for path in folders:
            os.chmod(path, 0o755)


def test_a_home_that_cannot_be_written_gets_a_temporary_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / 'file').write_text('in the way of the cache')
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', str(tmp_path / 'file' / 'cache'))
    write_skill(tmp_path / 'tree' / 'one')
    registry = LocalSkillsRegistry(tmp_path / 'tree', layout='tree')
    library = registry.sync()
    assert names_in(library) == ['one'] and registry.sync() == library
    assert LocalSkillsRegistry(tmp_path / 'tree', layout='tree').sync() == library
    code = (
        'import sys\nfrom pydantic_ai_skills.registries import LocalSkillsRegistry\n'
        "print(LocalSkillsRegistry(sys.argv[1], layout='tree').sync())"
    )
    command = [sys.executable, '-c', code, str(tmp_path / 'tree')]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    assert shown and not Path(shown).exists()  # gone with its process


def test_the_cache_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    import platformdirs

    from pydantic_ai_skills.cache import cache_folder
    from pydantic_ai_skills.registries.places import default_store

    assert default_store('a', 'My Repo!').name.startswith('my-repo-') and default_store('a', '///') != default_store(
        'b', '///'
    )
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', '')
    assert cache_folder() == platformdirs.user_cache_path('pydantic-ai-skills')
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', '~/x')
    assert cache_folder() == tmp_path / 'x'


@pytest.mark.parametrize('chosen', ['', '~/cache'])
def test_who_has_no_home_gets_a_temporary_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str):
    def nobody(number: object) -> None:
        raise KeyError(number)

    import pwd

    monkeypatch.setattr(pwd, 'getpwuid', nobody)  # as in a container that is run under any number
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', chosen)
    for name in ('HOME', 'XDG_CACHE_HOME'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    write_skill(tmp_path / 'tree' / 'one')
    library = LocalSkillsRegistry(tmp_path / 'tree', layout='tree').sync()
    assert names_in(library) == ['one'] and library.is_absolute()
    assert os.listdir(tmp_path) == ['tree']


def test_everything_is_flushed_without_syncfs_too(store: Store, monkeypatch: pytest.MonkeyPatch):
    import ctypes

    flushed: list[int] = []
    real = os.fsync
    monkeypatch.setattr(os, 'fsync', lambda descriptor: flushed.append(descriptor) or real(descriptor))
    monkeypatch.setattr(ctypes, 'CDLL', lambda *args, **kwargs: object())  # as on macOS, which has none
    folder = write_skill(store.folder / 'a' / 'b', notes__md='x')
    os.symlink('nowhere', folder / 'link')
    flush_tree(store.folder)
    assert len(flushed) == 5  # two files, three folders


def test_records_of_another_format_are_not_read(store: Store):
    first = store.update(fill('v1'))
    record = json.loads((first.folder / 'generation.json').read_text())
    (first.folder / 'generation.json').write_text(json.dumps(record | {'format': 99}))
    assert read_record(first.folder, 'source', verify=False) is None


def test_the_digest_is_that_of_the_packages(store: Store, tmp_path: Path):
    generation = store.update(fill('v1'))
    shutil.copytree(generation.library, tmp_path / 'copy')
    import hashlib

    from pydantic_ai_skills.digest import package_digest

    lines = f'demo\0{package_digest(tmp_path / "copy" / "demo")}\n'
    assert generation.digest == hashlib.sha256(lines.encode()).hexdigest()
