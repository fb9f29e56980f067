"""The bare repository that a Git generation keeps: fetched into, read from, and the start of the next one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from .git_options import FetchOptions
from .git_process import GitError, GitRunner
from .git_refs import Wanted, is_commit_id
from .git_tree import Entries, TreeEntry, parse_listing
from .work import Progress

_WANTED = 'refs/skills/wanted'
_REMOTE = 'skills'  # not `origin`, of which the user's own settings may say something
_MOST_PACKS = 30


class GitRepository:
    """A repository in the folder of a generation to be."""

    def __init__(self, runner: GitRunner, url: str, folder: Path, progress: Progress) -> None:
        self._git = runner
        self._url = url
        self._path = folder / 'repo.git'
        self._index = folder / 'index'
        self._progress = progress
        self._partial = False

    def fetch(self, wanted: Wanted, options: FetchOptions, previous: Path | None, partial: bool) -> str:
        """Fetch one commit and return its id.

        First as little as can be, on top of the repository of the last generation; then from nothing; then, for
        servers that can neither cut a history nor be asked for a commit, all of it.

        Args:
            wanted: What to ask the server for.
            options: The caller's.
            previous: The folder of the last generation.
            partial: Whether to leave out the contents of files until it is known which are needed.

        Raises:
            GitError: no way worked, or one took too long.
            ValueError: what is wanted is no commit.
        """
        self._partial = partial or options.filter is not None
        seeds = [None] if previous is None else [previous, None]
        for seed in seeds if wanted.name is not None else []:
            try:
                self._start(seed, wanted)
                source = f'+{wanted.name}:{_WANTED}'
                self._fetch([*_small(options, partial), *options.arguments, _REMOTE, source])
                return self._commit(_WANTED)
            except GitError as error:
                if error.timed_out or error.refused:
                    raise
        self._start(None, wanted)
        sources, revision = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'], wanted.ref
        if wanted.name is not None and not is_commit_id(wanted.name):
            sources = [f'+{wanted.name}:{_WANTED}', *([] if options.single_branch else sources)]
            revision = _WANTED
        self._fetch([*options.arguments, _REMOTE, *sources])
        try:
            return self._commit(revision)
        except GitError as error:
            if error.timed_out:
                raise
        raise ValueError(f'{wanted.ref!r} stands for no commit of {self._url!r}, or for more than one.')

    def folder_id(self, commit: str, path: str) -> str | None:
        """The id of the tree at a path of a commit, links followed; `None` if there is no such folder."""
        found = self._run(['cat-file', '--batch-check', '--follow-symlinks'], stdin=f'{commit}:{path}\n'.encode())
        words = found.decode(errors='replace').split()
        return words[0] if len(words) > 1 and words[1] == 'tree' else None

    def listing(self, tree: str) -> Entries:
        """Every file, link and submodule below a tree."""
        return parse_listing(self._run(['ls-tree', '-r', '-z', '--full-tree', tree]))

    def folders(self, commit: str) -> list[str]:
        """Every folder of a commit."""
        listing = self._run(['ls-tree', '-r', '-d', '-z', '--name-only', '--full-tree', commit])
        return [name.decode(errors='replace') for name in listing.split(b'\0') if name]

    def read_links(self, blobs: list[str]) -> dict[str, str]:
        """What the links with these blobs say."""
        if self._partial:
            self._bring(blobs)
        targets: dict[str, str] = {}
        output = self._run(['cat-file', '--batch'], stdin='\n'.join(blobs).encode() + b'\n')
        while output:
            head, _, output = output.partition(b'\n')
            sha, _, size = head.decode().partition(' blob ')
            targets[sha] = output[: int(size)].decode('utf-8', 'surrogateescape')
            output = output[int(size) + 1 :]
        return targets

    def write_out(self, entries: Entries, target: Path) -> None:
        """Write files into the empty folder `target`; those whose contents are not here are fetched together."""
        if not entries:
            return
        lines = [f'{entry.mode} {entry.sha}\t{path}' for path, entry in entries.items()]
        index_info = '\0'.join(lines).encode('utf-8', 'surrogateescape') + b'\0'
        self._index.unlink(missing_ok=True)
        env = {'GIT_INDEX_FILE': str(self._index), 'GIT_WORK_TREE': str(target)}
        self._run(['update-index', '-z', '--index-info'], stdin=index_info, env=env)
        tree = self._run(['write-tree', '--missing-ok'], env=env).decode().strip()
        self._index.unlink()
        self._run(['read-tree', '-m', '-u', tree], env=env)
        self._index.unlink()

    def _bring(self, blobs: list[str]) -> None:
        """Fetch blobs that are not here, all at once: `cat-file` would ask the server for each as it comes to it."""
        with tempfile.TemporaryDirectory(dir=self._path.parent) as folder:
            self.write_out({blob: TreeEntry('100644', blob) for blob in blobs}, Path(folder))

    def _start(self, seed: Path | None, wanted: Wanted) -> None:
        shutil.rmtree(self._path, ignore_errors=True)
        if seed is not None and _is_worth_it(seed / 'repo.git'):
            _link_repository(seed / 'repo.git', self._path)
            return
        # Without the option where it is the default: git before 2.29 does not know it.
        kind = ['--object-format=sha256'] if wanted.sha256 else []
        self._git.run(['init', '--quiet', '--bare', '--template=', *kind, str(self._path)])
        escaped = self._url.replace('\\', '\\\\').replace('"', '\\"')
        with open(self._path / 'config', 'a', encoding='utf-8') as config:
            config.write(f'[remote "{_REMOTE}"]\n\turl = "{escaped}"\n')

    def _fetch(self, arguments: list[str]) -> None:
        self._progress('fetch', 0, None)
        command = ['fetch', '--progress', '--no-recurse-submodules', '--no-write-fetch-head', '--force', *arguments]
        self._run(command, on_error_line=_git_progress(self._progress))

    def _commit(self, revision: str) -> str:
        return self._run(['rev-parse', '--verify', f'{revision}^{{commit}}']).decode().strip()

    def _run(
        self,
        arguments: list[str],
        *,
        stdin: bytes = b'',
        env: Mapping[str, str] | None = None,
        on_error_line: Callable[[str], object] | None = None,
    ) -> bytes:
        inside = {'GIT_DIR': str(self._path)} | dict(env or {})
        return self._git.run(arguments, stdin=stdin, env=inside, on_error_line=on_error_line)


def _small(options: FetchOptions, partial: bool) -> list[str]:
    arguments = [] if options.limits_history else [f'--depth={options.depth or 1}']
    if '--tags' not in options.arguments:
        arguments.append('--no-tags')
    if options.filter is not None or partial:
        arguments.append(f'--filter={options.filter or "blob:none"}')
    return arguments


def _is_worth_it(repository: Path) -> bool:
    """Whether to fetch on top of a repository: each fetch adds a pack, and nothing ever tidies up."""
    return (repository / 'HEAD').is_file() and len(list(repository.glob('objects/pack/*.pack'))) < _MOST_PACKS


def _link_repository(old: Path, new: Path) -> None:
    """Copy a repository. Objects, which git never writes to again, are linked."""
    for folder, _, files in os.walk(old):
        target = new / os.path.relpath(folder, old)
        target.mkdir(parents=True, exist_ok=True)
        is_objects = 'objects' in Path(folder).relative_to(old).parts
        for name in files:
            if name.endswith('.lock') or name.startswith('tmp_'):
                continue
            source = os.path.join(folder, name)
            try:
                if is_objects:
                    os.link(source, target / name)
                    continue
            except OSError:  # a file system without hard links, or with a limit to them
                pass
            shutil.copyfile(source, target / name)


def _git_progress(progress: Progress) -> Callable[[str], object]:
    """Reads git's own progress out of its lines."""
    from git import RemoteProgress

    class Lines(RemoteProgress):
        def update(self, op_code: int, cur_count: object, max_count: object = None, message: str = '') -> None:
            if op_code & self.RECEIVING:
                total = None if max_count in (None, '') else int(float(str(max_count)))
                progress('fetch', int(float(str(cur_count))), total)

    return Lines().new_message_handler()
