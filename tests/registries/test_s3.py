"""Against moto's server: a real HTTP S3."""

from __future__ import annotations

import copy
import errno
import logging
import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
import pytest
from botocore.config import Config
from moto.server import ThreadedMotoServer

from pydantic_ai_skills import S3SkillsRegistry
from pydantic_ai_skills.registries.s3_objects import S3Object, by_package, safe_objects

from .helpers import files_in, in_child, names_in, said
from .servers import CuttingProxy

SKILL = '---\nname: {0}\ndescription: Does {0}.\nlicense: {1}\n---\n\nDo it.\n'


@pytest.fixture(scope='module')
def server() -> Iterator[int]:
    logging.getLogger('werkzeug').setLevel(logging.ERROR)
    moto = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
    moto.start()
    yield moto.get_host_and_port()[1]
    moto.stop()


def make_client(port: int) -> Any:
    return boto3.session.Session().client(
        's3',
        endpoint_url=f'http://127.0.0.1:{port}',
        region_name='us-east-1',
        aws_access_key_id='AKIAKEY',
        aws_secret_access_key='hush-hush',
        config=Config(max_pool_connections=16, connect_timeout=2, read_timeout=5, retries={'total_max_attempts': 1}),
    )


class Bucket:
    """A bucket, and a count of what is asked of it."""

    def __init__(self, port: int) -> None:
        self.name = f'bucket-{uuid4().hex[:8]}'
        self.client = make_client(port)
        self.client.create_bucket(Bucket=self.name)
        self.asked: list[str] = []
        self.client.meta.events.register('before-call.s3', self._note)

    def _note(self, model: Any, params: Any, **more: Any) -> None:
        path = params['url_path']
        self.asked.append(f'{model.name} {path}' if model.name == 'GetObject' else model.name)

    @property
    def downloads(self) -> list[str]:
        return [item for item in self.asked if item.startswith('GetObject')]

    def put(self, objects: dict[str, str | bytes]) -> None:
        for key, body in objects.items():
            self.client.put_object(Bucket=self.name, Key=key, Body=body)
        self.asked.clear()

    def drop(self, *keys: str) -> None:
        for key in keys:
            self.client.delete_object(Bucket=self.name, Key=key)
        self.asked.clear()

    def registry(self, **options: Any) -> S3SkillsRegistry:
        return S3SkillsRegistry(self.name, **({'prefix': 'skills', 'boto3_client': self.client} | options))


@pytest.fixture
def bucket(server: int) -> Bucket:
    bucket = Bucket(server)
    bucket.put(
        {
            'skills/': '',
            'skills/one/SKILL.md': SKILL.format('one', 'MIT'),
            'skills/one/scripts/run': '#!/bin/sh\necho hi\n',
            'skills/one/notes.md': 'one notes',
            'skills/two/SKILL.md': SKILL.format('two', 'GPL'),
            'skills/two/big.bin': b'\x00' * 300_000,
            'skills/README.md': 'of no skill',
            'other/three/SKILL.md': SKILL.format('three', 'MIT'),
        }
    )
    return bucket


def test_sync(bucket: Bucket):
    registry = bucket.registry()
    library = registry.sync()
    assert files_in(library) == ['one/SKILL.md', 'one/notes.md', 'one/scripts/run', 'two/SKILL.md', 'two/big.bin']
    assert os.access(library / 'one/scripts/run', os.X_OK) and not os.access(library / 'one/notes.md', os.X_OK)
    assert (library / 'two/big.bin').stat().st_size == 300_000
    assert bucket.asked.count('ListObjectsV2') == 1 and len(bucket.downloads) == 5
    assert registry.generation is not None and len(registry.generation.revision) == 64
    assert registry.revision('one') != registry.revision('two')
    assert repr(registry) == f"S3SkillsRegistry('{bucket.name}', prefix='skills')"
    assert registry.origin == 'remote'
    with pytest.raises(ValueError, match=r"no skill 'three'\. It has: one, two"):
        registry.revision('three')


def test_nothing_changed_is_one_listing(bucket: Bucket):
    library = bucket.registry().sync()
    bucket.asked.clear()
    assert bucket.registry().sync() == library
    assert bucket.asked == ['ListObjectsV2']


def test_only_what_is_new_is_downloaded_and_what_is_gone_goes(bucket: Bucket):
    registry = bucket.registry()
    first = registry.sync()
    before = registry.revision('one'), registry.revision('two')
    bucket.put({'skills/one/notes.md': 'new notes', 'skills/one/more.md': 'more'})
    bucket.drop('skills/one/scripts/run')
    second = registry.sync()
    assert [call.rpartition('/')[2] for call in bucket.downloads] != [] and len(bucket.downloads) == 2
    assert files_in(second / 'one') == ['SKILL.md', 'more.md', 'notes.md']
    assert (second / 'one/notes.md').read_text() == 'new notes'
    assert (first / 'one/notes.md').read_text() == 'one notes' and (first / 'one/scripts/run').exists()
    assert (second / 'two/big.bin').stat().st_ino == (first / 'two/big.bin').stat().st_ino  # linked
    assert registry.revision('one') != before[0] and registry.revision('two') == before[1]


def test_an_edited_copy_is_noticed_and_not_linked(bucket: Bucket):
    registry = bucket.registry()
    first = registry.sync()
    (first / 'one/notes.md').write_text('EVIL TEXT')  # as long as the right one
    assert (registry.sync() / 'one/notes.md').read_text() == 'one notes'


def test_empty_prefix_is_an_error_and_the_old_generation_stays(bucket: Bucket, tmp_path: Path):
    with pytest.raises(ValueError, match="nothing under the prefix 'nope'"):
        bucket.registry(prefix='nope').sync()
    first = bucket.registry(target_dir=tmp_path / 'store').sync()
    bucket.drop(*(f'skills/{name}' for name in [*files_in(first), 'README.md']))
    with pytest.raises(ValueError, match='nothing under'):
        bucket.registry(target_dir=tmp_path / 'store').sync()
    assert bucket.registry(target_dir=tmp_path / 'store', auto_install=False).sync() == first
    assert names_in(first) == ['one', 'two']


def test_a_prefix_that_is_a_skill_and_one_without_any(bucket: Bucket):
    with pytest.raises(ValueError, match='is itself a skill'):
        bucket.registry(prefix='skills/one').sync()
    with pytest.warns(UserWarning, match="no skill package.*layout='tree'"):
        assert names_in(bucket.registry(prefix='').sync()) == []


def test_tree(bucket: Bucket):
    bucket.put(
        {'other/SKILL.md': SKILL.format('whatever', 'MIT'), 'other/a/b/Odd One/SKILL.md': SKILL.format('x y', 'MIT')}
    )
    registry = bucket.registry(prefix='', layout='tree')
    library = registry.sync()
    assert names_in(library) == ['odd-one', 'one', 'other', 'three', 'two']
    assert files_in(library / 'other') == ['SKILL.md']
    assert registry.revision('odd-one') != registry.revision('other')
    bucket.asked.clear()
    assert registry.sync() == library and bucket.asked == ['ListObjectsV2']
    bucket.put({'skills/one/notes.md': 'new'})
    assert (registry.sync() / 'one/notes.md').read_text() == 'new'
    assert len(bucket.downloads) == 1
    assert names_in(bucket.registry(prefix='skills/one/', layout='tree').sync()) == ['one']


def test_many_pages(server: int):
    bucket = Bucket(server)
    bucket.put({f's{n:04}/SKILL.md': SKILL.format(f's{n:04}', 'MIT') for n in range(40)})
    real = bucket.client.list_objects_v2
    bucket.client.list_objects_v2 = lambda **options: real(**options, MaxKeys=7)
    assert len(names_in(bucket.registry(prefix='').sync())) == 40
    assert bucket.asked.count('ListObjectsV2') == 6


def test_unsafe_keys_are_left_out_with_one_warning(bucket: Bucket, tmp_path: Path):
    bad = ['skills/one/../../../evil', 'skills//etc/evil', 'skills/one//evil', 'skills/one/./evil', 'skills/One/evil']
    bad += ['skills/one/notes.md/evil2', f'skills/one/{"x" * 300}']
    bucket.put(dict.fromkeys(bad, 'x'))
    target = tmp_path / 'deep' / 'er' / 'store'
    with said() as warned:
        library = bucket.registry(target_dir=target).sync()
    assert files_in(library / 'one') == ['SKILL.md', 'notes.md/evil2', 'scripts/run'] and names_in(library) == [
        'one',
        'two',
    ]
    assert not list(tmp_path.rglob('evil'))
    (text,) = warned
    assert 'cannot be files of one library' in text and all(repr(key)[:100] in text for key in [*bad[:5], bad[6]])
    assert "'skills/one/notes.md'" in text  # a file and a folder cannot both be there


def objects(*paths: str, size: int = 1) -> list[S3Object]:
    return [S3Object(path, path, 'e', 0 if path.startswith('0:') else size) for path in sorted(paths)]


@pytest.mark.parametrize(
    ('keys', 'kept', 'wrong'),
    [
        (['demo/SKILL.md', 'demo/'], ['demo/SKILL.md'], []),
        (
            ['../x', '/x', 'a/../x', 'a//x', 'a/./x', '..', '.'],
            [],
            ['../x', '/x', 'a/../x', 'a//x', 'a/./x', '..', '.'],
        ),
        (['demo', 'demo/x'], ['demo/x'], ['demo']),
        (['Demo/x', 'demo/x', 'demo/y'], ['demo/x', 'demo/y'], ['Demo/x']),
        (['Demo/SKILL.md', 'demo/SKILL.md', 'demo/y'], ['demo/SKILL.md', 'demo/y'], ['Demo/SKILL.md']),
        (['a/SKILL.MD', 'a/SKILL.md'], ['a/SKILL.md'], ['a/SKILL.MD']),
        (['a/SKILL.md', 'a/SKILL.md/x', 'a/b', 'a/b/x'], ['a/SKILL.md', 'a/b/x'], ['a/SKILL.md/x', 'a/b']),
        (['a/caf\u00e9', 'a/cafe\u0301'], ['a/cafe\u0301'], ['a/caf\u00e9']),
        (['a/' * 99 + 'x'], ['a/' * 99 + 'x'], []),
        (['Demo/x', 'demo/SKILL.md', 'demo/y'], ['demo/SKILL.md', 'demo/y'], ['Demo/x']),
        (['a/X.md', 'a/x.md'], ['a/X.md'], ['a/x.md']),
        (['a/\u00df', 'a/ss'], ['a/ss'], ['a/\u00df']),
        (['a/\0'], [], ['a/\0']),
        (['a/.env', 'a/.git/config', 'a/__pycache__/x.pyc'], [], []),
        (['a/' + '\u00e9' * 127, 'a/' + '\u00e9' * 128], ['a/' + '\u00e9' * 127], ['a/' + '\u00e9' * 128]),
    ],
)
def test_which_keys_can_be_files(keys: list[str], kept: list[str], wrong: list[str]):
    safe, findings = safe_objects(objects(*keys), 'here')
    assert [item.path for item in safe] == kept
    assert sum(finding.message.count(repr(key)[:100]) >= 1 for finding in findings for key in wrong) == len(wrong)
    assert len(findings) == (1 if wrong else 0)


def test_an_empty_object_with_a_folders_name_is_a_marker():
    marked = [S3Object('demo', 'demo', 'e', 0), S3Object('demo/SKILL.md', 'demo/SKILL.md', 'e', 1)]
    assert [item.path for item in safe_objects(marked, 'here')[0]] == ['demo/SKILL.md']


def test_packages_of_a_listing():
    listed = objects('SKILL.md', 'x.md', 'a/SKILL.md', 'a/b/x.md', 'a/c/skill.md', 'a/c/d/e.md', 'z/x.md')
    assert {name: len(items) for name, items in by_package(listed, 'library').items()} == {'a': 4}
    assert {name: len(items) for name, items in by_package(listed, 'tree').items()} == {'': 3, 'a': 2, 'a/c': 2}


def test_a_filter_decides_before_anything_else_is_downloaded(bucket: Bucket):
    view = bucket.registry().prefixed('x-').filtered(lambda info: info.license == 'MIT').prefixed('y-')
    library = view.sync()
    assert files_in(library) == ['y-x-one/SKILL.md', 'y-x-one/notes.md', 'y-x-one/scripts/run']
    assert 'name: y-x-one' in (library / 'y-x-one/SKILL.md').read_text()
    assert os.access(library / 'y-x-one/scripts/run', os.X_OK)
    assert bucket.asked.count('ListObjectsV2') == 1
    assert sum('big.bin' in call for call in bucket.downloads) == 0 and 'two/big.bin' not in str(bucket.asked)
    assert len(bucket.downloads) == len(set(bucket.downloads)) == 4  # each once: two SKILL.md, two more of the chosen
    bucket.asked.clear()
    assert view.sync() == library
    assert bucket.asked == ['ListObjectsV2']
    bucket.put({'skills/one/notes.md': 'new'})
    assert (view.sync() / 'y-x-one/notes.md').read_text() == 'new'
    assert len(bucket.downloads) == 1
    bucket.put({'skills/two/SKILL.md': SKILL.format('two', 'MIT')})
    assert names_in(view.sync()) == ['y-x-one', 'y-x-two']


def test_a_filtered_tree(bucket: Bucket):
    bucket.put({'skills/one/inner/SKILL.md': SKILL.format('inner', 'GPL'), 'skills/one/inner/data': 'x'})
    view = bucket.registry(layout='tree').filtered(lambda info: info.license == 'MIT')
    assert files_in(view.sync()) == ['one/SKILL.md', 'one/notes.md', 'one/scripts/run']
    assert not any('inner/data' in call for call in bucket.asked)


def test_together_with_the_whole_a_filtered_part_costs_nothing(bucket: Bucket):
    base = bucket.registry()
    view = base.filtered(lambda info: info.name == 'one').prefixed('x-') | base
    assert names_in(view.sync()) == ['one', 'two', 'x-one']
    assert bucket.asked.count('ListObjectsV2') == 1 and len(bucket.downloads) == 5


def test_connections_that_break_off_are_tried_again(bucket: Bucket, server: int):
    proxy = CuttingProxy(server)
    proxy.after, proxy.times = 100_000, 2
    registry = bucket.registry(boto3_client=make_client(proxy.port))
    library = registry.sync()
    assert proxy.cut == 2
    assert (library / 'two/big.bin').stat().st_size == 300_000
    proxy.stop()


def test_a_refresh_that_fails_leaves_the_old_generation(bucket: Bucket, server: int, tmp_path: Path):
    proxy = CuttingProxy(server)
    registry = bucket.registry(boto3_client=make_client(proxy.port), target_dir=tmp_path / 'store')
    first = registry.sync()
    bucket.put({'skills/two/big.bin': b'\x01' * 300_000})
    proxy.after, proxy.times = 100_000, 1000
    with pytest.warns(UserWarning, match=r"'skills/two/big.bin' could not be downloaded.*Using what was fetched"):
        assert registry.sync() == first
    assert (first / 'two/big.bin').read_bytes()[:1] == b'\x00'
    assert len(list((tmp_path / 'store/generations').iterdir())) == 1
    proxy.times = 0
    assert (registry.sync() / 'two/big.bin').read_bytes()[:1] == b'\x01'
    proxy.stop()


def test_an_object_that_changes_while_it_is_read_is_listed_again(bucket: Bucket):
    real, changes = bucket.client.get_object, [b'2nd']

    def changing(**options: Any) -> Any:
        if options['Key'].endswith('notes.md') and changes:
            bucket.client.put_object(Bucket=bucket.name, Key=options['Key'], Body=changes.pop())
        return real(**options)

    bucket.client.get_object = changing
    assert (bucket.registry().sync() / 'one/notes.md').read_bytes() == b'2nd'
    assert bucket.asked.count('ListObjectsV2') == 2
    bucket.client.put_object(Bucket=bucket.name, Key='skills/one/notes.md', Body=b'3rd')
    changes += [f'{n}th'.encode() for n in range(9)]
    with pytest.warns(UserWarning, match='being written to at this moment'):
        bucket.registry().sync()


def test_errors_name_the_step_and_what_to_try(
    bucket: Bucket, server: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    with pytest.raises(
        RuntimeError,
        match=r"S3SkillsRegistry\('no-such'\) could not be synced.*listing 'no-such' failed.*Is the name right",
    ):
        S3SkillsRegistry('no-such', boto3_client=bucket.client).sync()
    for name in ('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('AWS_SHARED_CREDENTIALS_FILE', str(tmp_path / 'none'))
    monkeypatch.setenv('AWS_CONFIG_FILE', str(tmp_path / 'none'))
    monkeypatch.setenv('AWS_EC2_METADATA_DISABLED', 'true')
    monkeypatch.setenv('AWS_ENDPOINT_URL', f'http://127.0.0.1:{server}')
    with pytest.raises(RuntimeError, match='Give boto3 credentials'):
        S3SkillsRegistry(bucket.name, prefix='skills').sync()
    monkeypatch.setenv('AWS_ACCESS_KEY_ID', 'AKIAKEY')
    monkeypatch.setenv('AWS_SECRET_ACCESS_KEY', 'hush-hush')
    registry = S3SkillsRegistry(bucket.name, prefix='/skills/')
    assert names_in(registry.sync()) == ['one', 'two']  # by boto3's own configuration
    assert 'hush' not in repr(registry) + registry.identity() + repr(vars(registry))
    monkeypatch.setenv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1')
    with pytest.raises(RuntimeError, match='Is the endpoint reachable'):
        S3SkillsRegistry(bucket.name, prefix='skills').sync()


@pytest.mark.parametrize(
    ('arguments', 'error'),
    [
        ({'bucket': ''}, ValueError),
        ({'bucket': 's3://b/skills'}, ValueError),
        ({'bucket': 3}, TypeError),
        ({'prefix': None}, TypeError),
        ({'layout': 'flat'}, ValueError),
        ({'target_dir': 3}, TypeError),
    ],
)
def test_arguments_that_cannot_be_right(arguments: dict[str, Any], error: type[Exception]):
    with pytest.raises(error):
        S3SkillsRegistry(**{'bucket': 'b', 'boto3_client': object()} | arguments)


def test_another_endpoint_is_another_source(server: int):
    one = S3SkillsRegistry('b', boto3_client=make_client(server))
    assert one.identity() != S3SkillsRegistry('b', boto3_client=make_client(1)).identity()


def test_progress_is_told(bucket: Bucket):
    events: list[tuple[str, int, int | None]] = []
    bucket.registry().sync(progress=lambda *event: events.append(event))
    assert events[0] == ('list', 0, None) and events[-1] == ('download', 5, 5)
    assert ('download', 0, 5) in events


def answering(bucket: Bucket, call: str, change: Any) -> None:
    """Have the bucket's client answer as S3 does not, but what stands in for it or in front of it may."""
    real = getattr(bucket.client, call)

    def changed(**options: Any) -> Any:
        answer = real(**options)
        change(answer, options)
        return answer

    setattr(bucket.client, call, changed)


def test_a_listing_that_breaks_off_is_not_taken_for_the_whole(bucket: Bucket):
    first = bucket.registry().sync()
    answering(bucket, 'list_objects_v2', lambda answer, _: answer.update(IsTruncated=True, Contents=[]))
    with pytest.warns(UserWarning, match='the listing breaks off'):
        assert bucket.registry().sync() == first
    real = bucket.client.list_objects_v2
    bucket.client.list_objects_v2 = lambda ContinuationToken='', **options: (
        real(**options) | {'NextContinuationToken': 'again'}
    )
    with pytest.warns(UserWarning, match='the listing breaks off'):  # and not for ever
        bucket.registry().sync()


def test_weak_etags_of_a_proxy_are_the_same(bucket: Bucket):
    answering(bucket, 'get_object', lambda answer, _: answer.update(ETag=f'W/{answer["ETag"]}'))
    assert names_in(bucket.registry().sync()) == ['one', 'two']


def test_without_etags_the_time_of_writing_counts(bucket: Bucket):
    def without(answer: Any, options: Any) -> None:
        for item in answer['Contents']:
            del item['ETag']

    answering(bucket, 'list_objects_v2', without)
    registry = bucket.registry()
    library = registry.sync()
    bucket.asked.clear()
    assert registry.sync() == library and bucket.downloads == []
    answering(
        bucket, 'list_objects_v2', lambda answer, _: [item.update(LastModified='now') for item in answer['Contents']]
    )
    assert registry.sync() != library and len(bucket.downloads) == 5


def test_an_object_that_goes_while_a_view_is_made(bucket: Bucket):
    keys = ['skills/one/notes.md']

    def drop(answer: Any, options: Any) -> None:
        if options['Key'].endswith('one/SKILL.md') and keys:
            bucket.client.delete_object(Bucket=bucket.name, Key=keys.pop())

    answering(bucket, 'get_object', drop)
    view = bucket.registry().filtered(lambda info: info.name == 'one').prefixed('x-')
    assert files_in(view.sync()) == ['x-one/SKILL.md', 'x-one/scripts/run']


def test_a_server_with_much_to_say_is_cut_short(bucket: Bucket):
    def fail(**options: Any) -> Any:
        raise ConnectionError(f'http://me:hush-hush@proxy/ said {"x" * 100_000}')

    bucket.client.list_objects_v2 = fail
    with pytest.raises(RuntimeError) as raised:
        bucket.registry().sync()
    assert 'hush' not in str(raised.value) and 'http://***@proxy' in str(raised.value) and len(str(raised.value)) < 1000


def test_what_is_no_client_is_refused(server: int):
    class Asynchronous:
        async def list_objects_v2(self) -> None: ...
        async def get_object(self) -> None: ...

    resource = boto3.session.Session().resource('s3', region_name='us-east-1')
    for client in (resource, Asynchronous(), object()):
        with pytest.raises(TypeError, match='boto3_client must be a client'):
            S3SkillsRegistry('b', boto3_client=client).sync()


def test_a_client_of_our_own_is_of_its_process(bucket: Bucket, server: int, monkeypatch: pytest.MonkeyPatch):
    """Forked processes that share connections get each other's answers."""
    for name, value in {
        'AWS_ENDPOINT_URL': f'http://127.0.0.1:{server}',
        'AWS_ACCESS_KEY_ID': 'AKIAKEY',
        'AWS_SECRET_ACCESS_KEY': 'hush-hush',
        'AWS_DEFAULT_REGION': 'us-east-1',
    }.items():
        monkeypatch.setenv(name, value)
    registry = S3SkillsRegistry(bucket.name, prefix='skills')
    identity = registry.identity()
    library = registry.sync()
    ours = registry._client()  # pyright: ignore[reportPrivateUsage]

    def child() -> None:
        assert registry._client() is not ours and registry.sync() == library  # pyright: ignore[reportPrivateUsage]

    assert in_child(child) == 0
    assert registry._client() is ours  # pyright: ignore[reportPrivateUsage]
    for copied in (pickle.loads(pickle.dumps(registry)), copy.deepcopy(registry), copy.deepcopy(bucket.registry())):
        assert copied.sync() == library
    monkeypatch.delenv('AWS_ENDPOINT_URL')  # as one that a client has from a file
    assert S3SkillsRegistry(bucket.name, boto3_client=bucket.client, prefix='skills').identity() == identity


def test_an_endpoint_of_a_file_does_not_change_who_it_is(
    bucket: Bucket, server: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / 'config').write_text(f'[default]\nregion=us-east-1\nendpoint_url=http://127.0.0.1:{server}\n')
    monkeypatch.delenv('AWS_ENDPOINT_URL', raising=False)
    monkeypatch.setenv('AWS_CONFIG_FILE', str(tmp_path / 'config'))
    monkeypatch.setenv('AWS_ACCESS_KEY_ID', 'AKIAKEY')
    monkeypatch.setenv('AWS_SECRET_ACCESS_KEY', 'hush-hush')
    registry = S3SkillsRegistry(bucket.name, prefix='skills')
    assert registry.sync() == registry.sync() == S3SkillsRegistry(bucket.name, prefix='skills').sync()


def test_without_hard_links_files_are_copied(bucket: Bucket, monkeypatch: pytest.MonkeyPatch):
    """There is no such file system here, so `os.link` fails as it does on one."""

    def link(*args: object, **options: object) -> None:
        raise PermissionError(errno.EPERM, 'Operation not permitted')

    registry = bucket.registry()
    registry.sync()
    bucket.put({'skills/one/new.md': 'new'})
    monkeypatch.setattr(os, 'link', link)
    library = registry.sync()
    assert len(bucket.downloads) == 1 and os.access(library / 'one/scripts/run', os.X_OK)
    assert (library / 'two/big.bin').stat().st_nlink == 1
