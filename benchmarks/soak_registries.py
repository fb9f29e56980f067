"""Kill syncs at every point at which they write, and see that nothing is ever lost or mixed.

    python -m benchmarks.soak_registries [WORLD…] [--by audit|strace|both] [--points N]

A world is a source with two states and a store that holds the first. A sync to the second state is killed (SIGKILL) at
its first point, its second, and so on; each time the store must hold one of the two states whole, and the next sync must
bring the second and leave nothing else behind. Points are counted in two ways:

audit   calls of Python that change files, or start a process, by an audit hook; a fork for each point, so it is quick.
strace  system calls that write, of Python, of its threads and of git: the first `rename` that any of them makes, the
        second, and so on for each call; an interpreter for each point, so it takes seconds. Left out where there is no
        strace.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_ai_skills.registries import GitSkillsRegistry, LocalSkillsRegistry, PrefixedRegistry, S3SkillsRegistry

ROOT = Path(__file__).resolve().parents[1]
_EVENTS = {'os.mkdir', 'os.rename', 'os.link', 'os.remove', 'os.rmdir', 'os.chmod', 'os.truncate', 'subprocess.Popen'}
_WRITES = (
    'write,pwrite64,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,ftruncate,fsync,fdatasync,'
    'syncfs,copy_file_range,chmod,fchmod,symlink,symlinkat,utimensat,flock'
)
_SKILLS = 10

Point = int | tuple[str, int]
"""Where to kill: the number of a call, or names of system calls and a number."""


@dataclass
class World:
    """A source with two states."""

    name: str
    registry: Callable[[Path], Any]
    """Makes a registry whose store is in this folder."""
    change: Callable[[], object]
    """Takes the source from its first state to its second."""
    environment: dict[str, str]
    """What another interpreter needs to reach the source."""


def contents(state: str) -> dict[str, bytes]:
    """The files of one state: some are in both, some change, one comes and one goes."""
    files: dict[str, bytes] = {}
    for number in range(_SKILLS):
        name = f'skill-{number}'
        files[f'{name}/SKILL.md'] = f'---\nname: {name}\ndescription: Skill {number}.\n---\n\n{state}\n'.encode()
        files[f'{name}/same.md'] = b'the same\n' * 500
        files[f'{name}/references/changes.md'] = f'{state}\n'.encode() * 300
        files[f'{name}/only-{state}.md'] = b'x'
    return files


def write(folder: Path, state: str) -> None:
    """Put one state into a folder."""
    for child in folder.iterdir():
        if child.name != '.git':
            shutil.rmtree(child)
    for name, content in contents(state).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def git(*args: str, cwd: Path) -> None:
    """Run git with an identity."""
    command = ['git', '-c', 'user.name=a', '-c', 'user.email=a@example.com', *args]
    subprocess.run(command, cwd=cwd, check=True, capture_output=True)


@contextlib.contextmanager
def git_world(folder: Path) -> Iterator[World]:
    """A repository."""
    upstream = folder / 'upstream'
    upstream.mkdir()
    git('init', '-q', cwd=upstream)

    def commit(state: str) -> None:
        write(upstream, state)
        git('add', '-A', cwd=upstream)
        git('commit', '-qm', state, cwd=upstream)

    commit('first')
    url = upstream.as_uri()
    yield World('git', lambda store: GitSkillsRegistry(url, target_dir=store), lambda: commit('second'), {})


@contextlib.contextmanager
def s3_world(folder: Path) -> Iterator[World]:
    """A bucket of moto's server."""
    import logging

    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger('werkzeug').setLevel(logging.ERROR)
    moto = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
    moto.start()
    environment = {
        'AWS_ENDPOINT_URL': f'http://127.0.0.1:{moto.get_host_and_port()[1]}',
        'AWS_DEFAULT_REGION': 'us-east-1',
        'AWS_ACCESS_KEY_ID': 'a',
        'AWS_SECRET_ACCESS_KEY': 'b',
    }
    before = dict(os.environ)
    os.environ.update(environment)
    client = boto3.session.Session().client('s3')
    client.create_bucket(Bucket='skills')

    def upload(state: str) -> None:
        for item in client.list_objects_v2(Bucket='skills').get('Contents', []):
            if item['Key'] not in contents(state):
                client.delete_object(Bucket='skills', Key=item['Key'])
        for key, body in contents(state).items():
            client.put_object(Bucket='skills', Key=key, Body=body)

    upload('first')
    # For children, which would take half a second each to make one. Never used here, so it has no connection to share.
    unused = boto3.session.Session().client('s3')

    def registry(store: Path) -> S3SkillsRegistry:
        return S3SkillsRegistry('skills', target_dir=store, boto3_client=unused)

    try:
        yield World('s3', registry, lambda: upload('second'), environment)
    finally:
        os.environ.clear()
        os.environ.update(before)
        moto.stop()


def local_source(folder: Path) -> Path:
    """A local library in its first state."""
    source = folder / 'source'
    source.mkdir()
    write(source, 'first')
    return source


@contextlib.contextmanager
def tree_world(folder: Path) -> Iterator[World]:
    """A local tree that is flattened."""
    source = local_source(folder)

    def registry(store: Path) -> LocalSkillsRegistry:
        return LocalSkillsRegistry(source, layout='tree', target_dir=store)

    yield World('tree', registry, lambda: write(source, 'second'), {})


@contextlib.contextmanager
def view_world(folder: Path) -> Iterator[World]:
    """A prefixed view of a local library."""
    source = local_source(folder)

    def registry(store: Path) -> PrefixedRegistry:
        return PrefixedRegistry(LocalSkillsRegistry(source), 'x-', target_dir=store)

    yield World('view', registry, lambda: write(source, 'second'), {})


WORLDS = {'git': git_world, 's3': s3_world, 'tree': tree_world, 'view': view_world}


def expected(world: World, state: str) -> dict[str, bytes]:
    """What the library of a state holds."""
    if world.name != 'view':
        return contents(state)
    return {f'x-{name}': content.replace(b'name: skill', b'name: x-skill') for name, content in contents(state).items()}


def found(library: Path) -> dict[str, bytes]:
    """What a library holds."""
    return {path.relative_to(library).as_posix(): path.read_bytes() for path in library.rglob('*') if path.is_file()}


def in_child(function: Callable[[], object]) -> int:
    """Run a function in a forked process; its exit status, negative for a signal."""
    if (pid := os.fork()) == 0:
        status = 70
        try:
            warnings.simplefilter('ignore')
            function()
            status = 0
        except BaseException as error:
            print(f'{type(error).__name__}: {error}', file=sys.stderr)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def kill_by_audit(world: World, store: Path, point: Point) -> bool:
    """Sync and die at the `point`th call that changes files; whether it got that far."""
    registry = world.registry(store)

    def sync() -> None:
        seen = 0

        def count(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal seen
            if event in _EVENTS or (event == 'open' and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT):
                seen += 1
                if seen == point:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        registry.sync()

    return in_child(sync) == -signal.SIGKILL


def kill_by_strace(world: World, store: Path, point: Point) -> bool:
    """Sync and die where any process or thread makes its `point`th call of a kind; whether one got that far."""
    return re.search('killed by SIGKILL', _traced(world, store, point)) is not None


def points_by_strace(world: World, store: Path) -> list[Point]:
    """Every call that writes, by its name and its number among those of that name in the busiest process or thread."""
    calls = Counter(re.findall(r'^(\d+) +(\w+)\(', _traced(world, store, (_WRITES, 60_000)), re.MULTILINE))
    most: dict[str, int] = {}
    for (_, name), count in calls.items():
        most[name] = max(count, most.get(name, 0))
    return [(name, number) for name in sorted(most) for number in range(1, most[name] + 1)]


def _traced(world: World, store: Path, point: Point) -> str:
    assert isinstance(point, tuple)
    calls, number = point
    log = store.with_name('strace.log')
    code = 'import benchmarks.soak_registries as soak; soak.sync_again()'
    inject = f'inject={calls}:signal=KILL:when={number}'
    command = ['strace', '-f', '-qq', '-o', str(log), '-e', f'trace={_WRITES}', '-e', inject]
    environment = {**os.environ, **world.environment, 'SOAK_WORLD': world.name, 'SOAK_STORE': str(store)}
    environment |= {'SOAK_SOURCE': str(store.parents[1]), 'PYTHONPATH': str(ROOT), 'PYTHONDONTWRITEBYTECODE': '1'}
    subprocess.run([*command, sys.executable, '-c', code], env=environment, capture_output=True, check=False)
    return log.read_text(errors='replace')


def sync_again() -> None:
    """What `kill_by_strace` runs: one sync of the world that the environment names."""
    warnings.simplefilter('ignore')
    source, store = Path(os.environ['SOAK_SOURCE']), Path(os.environ['SOAK_STORE'])
    registries: dict[str, Callable[[], Any]] = {
        'git': lambda: GitSkillsRegistry((source / 'upstream').as_uri(), target_dir=store),
        's3': lambda: S3SkillsRegistry('skills', target_dir=store),
        'tree': lambda: LocalSkillsRegistry(source / 'source', layout='tree', target_dir=store),
        'view': lambda: PrefixedRegistry(LocalSkillsRegistry(source / 'source'), 'x-', target_dir=store),
    }
    registries[os.environ['SOAK_WORLD']]().sync()


KILLERS = {'audit': kill_by_audit, 'strace': kill_by_strace}


def kill_everywhere(name: str, by: str, points: Sequence[Point] | int) -> tuple[int, int]:
    """Kill syncs of a world at these points.

    Args:
        name: The world.
        by: How points are counted.
        points: The points, or how many to spread over all of them.

    Returns:
        The number of syncs that died, and of those after which the second state was in use.

    Raises:
        AssertionError: something was lost, mixed or left behind.
    """
    died = new = 0
    with tempfile.TemporaryDirectory(prefix='soak-') as place, WORLDS[name](Path(place)) as world:
        stores = Path(place) / 'stores'
        first = stores / 'first'
        assert in_child(lambda: world.registry(first).sync()) == 0
        world.change()
        if isinstance(points, int):
            shutil.copytree(first, stores / 'counted', copy_function=shutil.copy2)
            every = points_by_strace(world, stores / 'counted')
            points = [every[len(every) * part // points] for part in range(points)] if points < len(every) else every
        for number, point in enumerate(points):
            store = stores / f'point-{number}'
            shutil.copytree(first, store, copy_function=shutil.copy2)
            if not KILLERS[by](world, store, point):
                if by == 'audit':
                    break
                continue  # threads share the calls out among them in another way each time
            died += 1
            new += _check(world, store, point)
            shutil.rmtree(store)
    return died, new


def _check(world: World, store: Path, point: Point) -> bool:
    where = f'{world.name}, point {point}'
    old, new = expected(world, 'first'), expected(world, 'second')
    state = 'none'

    def look() -> None:
        generation = world.registry(store).generation
        assert generation is not None, f'{where}: no generation'
        library = found(generation.library)
        assert library in (old, new), f'{where}: neither the old nor the new state'
        (store.parent / 'state').write_text('new' if library == new else 'old')

    def again() -> None:
        library = world.registry(store).sync()
        assert found(library) == new, f'{where}: the next sync does not bring the new state'

    assert in_child(look) == 0, f'{where}: see above'
    state = (store.parent / 'state').read_text()
    assert in_child(again) == 0, f'{where}: see above'
    assert in_child(again) == 0, f'{where}: see above'  # whatever the first one held has gone now
    left = [path.name for path in (store / 'generations').iterdir()]
    assert len(left) == 1, f'{where}: {left} are left'
    return state == 'new'


def main() -> int:
    """Run; a wrong result raises."""
    parser = argparse.ArgumentParser(description='Kill syncs at every point at which they write.')
    parser.add_argument('worlds', nargs='*', help=f'of {", ".join(WORLDS)}; all unless given')
    parser.add_argument('--by', choices=[*KILLERS, 'both'], default='both')
    parser.add_argument('--points', type=int, default=150, help='for strace: how many points at most, spread evenly')
    options = parser.parse_args()
    for name in options.worlds or WORLDS:
        for by in KILLERS if options.by == 'both' else [options.by]:
            if by == 'strace' and shutil.which('strace') is None:
                print(f'{name} by strace: left out, there is no strace')
                continue
            died, new = kill_everywhere(name, by, range(1, 100_000) if by == 'audit' else options.points)
            print(f'{name} by {by}: killed at {died} points, the new state in use after {new}, all whole')
    return 0


if __name__ == '__main__':
    sys.exit(main())
