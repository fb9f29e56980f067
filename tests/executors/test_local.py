from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import ModelRetry

from pydantic_ai_skills.digest import package_digest
from pydantic_ai_skills.executors import LocalSkillScriptExecutor, local, running
from pydantic_ai_skills.executors.scratch import remove_tree
from pydantic_ai_skills.members import SkillScriptExecutor, accepts_stdin

from .cancelling import cancel_when_started

SHOW = 'import json, os, sys\nprint(json.dumps([sys.argv[1:], os.getcwd(), sys.stdin.read()]))\n'
ENVIRON = 'import json, os\nprint(json.dumps(dict(os.environ)))\n'


def test_it_is_an_executor_that_takes_stdin() -> None:
    executor = LocalSkillScriptExecutor()
    assert isinstance(executor, SkillScriptExecutor)
    assert accepts_stdin(executor)


def test_a_script_gets_its_arguments_in_the_root_of_its_skill(package: Any) -> None:
    answer = package.run('scripts/x.py', SHOW, ['out.xlsx', 30, '--', '$HOME', ''])
    assert json.loads(answer) == [['out.xlsx', '30', '--', '$HOME', ''], str(package.directory), '']


def test_stdin_is_given_and_the_working_directory_with_it(package: Any) -> None:
    answer = package.run('scripts/x.py', SHOW, {'aa': 1}, stdin='{"q": "é\n"}')
    assert json.loads(answer) == [['--aa', '1'], str(package.directory), '{"q": "é\n"}']


def test_cwd_script_and_a_folder_of_ones_own(package: Any, tmp_path: Path) -> None:
    assert json.loads(package.run('scripts/x.py', SHOW, executor=LocalSkillScriptExecutor(cwd='script')))[1] == str(
        package.directory / 'scripts'
    )
    assert json.loads(package.run('scripts/x.py', executor=LocalSkillScriptExecutor(cwd=tmp_path)))[1] == str(tmp_path)
    with pytest.raises(ValueError, match="cwd must be 'skill', 'script' or an existing folder"):
        LocalSkillScriptExecutor(cwd='skills')


def test_the_environment_is_small_and_says_where_the_skill_is(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('A_SECRET', 'x')
    environ = json.loads(package.run('x.py', ENVIRON))
    assert 'A_SECRET' not in environ
    assert environ['SKILL_DIR'] == environ['CLAUDE_SKILL_DIR'] == str(package.directory)
    assert environ['PYTHONIOENCODING'] == 'utf-8'
    assert not Path(environ['SKILL_OUTPUT_DIR']).exists(), 'the scratch folder goes with the run'


def test_variables_that_are_given(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('A_TOKEN', 'host')
    monkeypatch.setenv('B_TOKEN', 'host')
    executor = LocalSkillScriptExecutor(
        env_vars={'B_TOKEN': 'fixed', 'HOME': None, 'C': 'fixed'},
        context_env_vars_extractor=lambda ctx: {'C': ctx, 'D': 'extracted'},
        inherit_env=['A_TOKEN', 'B_TOKEN', 'NOT_SET_ANYWHERE'],
    )
    environ = json.loads(package.run('x.py', ENVIRON, executor=executor, ctx='from ctx'))
    assert {name: environ.get(name) for name in ('A_TOKEN', 'B_TOKEN', 'C', 'D', 'HOME', 'NOT_SET_ANYWHERE')} == {
        'A_TOKEN': 'host',
        'B_TOKEN': 'fixed',
        'C': 'from ctx',
        'D': 'extracted',
        'HOME': None,
        'NOT_SET_ANYWHERE': None,
    }


def test_an_async_extractor_and_none(package: Any) -> None:
    async def extract(ctx: Any) -> dict[str, str]:
        return {'TOKEN': ctx}

    environ = json.loads(
        package.run('x.py', ENVIRON, executor=LocalSkillScriptExecutor(context_env_vars_extractor=extract), ctx='t')
    )
    assert environ['TOKEN'] == 't'
    nothing = LocalSkillScriptExecutor(context_env_vars_extractor=lambda ctx: None)
    assert 'TOKEN' not in json.loads(package.run('x.py', executor=nothing, ctx='t'))


def test_a_failure_names_the_variables_it_mentions_and_was_not_given(
    package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('MY_API_KEY', 'very secret')
    body = 'import os\nos.environ["NOT_ON_THE_HOST"] if "MY_API_KEY" in os.environ else os.environ["MY_API_KEY"]\n'
    answer = package.run('x.py', body)
    assert 'that it was not given: MY_API_KEY.' in answer
    assert 'inherit_env' in answer
    assert 'very secret' not in answer
    given = package.run('x.py', executor=LocalSkillScriptExecutor(inherit_env=['MY_API_KEY']))
    assert 'not given' not in given
    assert 'not given' not in package.run('fine.py', '"MY_API_KEY"\n')


@pytest.mark.parametrize(
    ('name', 'body', 'answer'),
    [
        (
            'fail.py',
            'import sys\nprint("half")\nsys.exit("boom")\n',
            'half\n\nStderr:\nboom\n\nScript exited with code 1',
        ),
        ('code.py', 'import sys\nsys.exit(37)\n', 'Script exited with code 37'),
        ('quiet.py', 'pass\n', '(no output)'),
        ('killed.sh', 'kill -9 $$\n', 'Script exited with code 137 (killed by SIGKILL)'),
        ('latin.py', 'import sys\nsys.stdout.buffer.write(b"caf\\xe9 ok")\n', 'caf\ufffd ok'),
        ('warn.py', 'import sys\nprint("out")\nprint("err", file=sys.stderr)\n', 'out\n\nStderr:\nerr'),
    ],
)
def test_how_a_script_ends_is_text(package: Any, name: str, body: str, answer: str) -> None:
    assert package.run(name, body) == answer


def test_output_of_thirty_megabytes(package: Any) -> None:
    answer = package.run('huge.py', 'print("FIRST")\nfor _ in range(300_000): print("x" * 99)\n')
    assert answer.startswith('FIRST\n')
    assert len(answer) < 31_000
    assert 'it printed more than 10 MiB' in answer


def test_a_timeout_carries_what_was_printed(package: Any) -> None:
    body = 'import time\nprint("partial", flush=True)\ntime.sleep(60)\n'
    with pytest.raises(TimeoutError, match=r'ran longer than 0.5 seconds. It had printed:\npartial'):
        package.run('slow.py', body, executor=LocalSkillScriptExecutor(timeout=0.5))
    with pytest.raises(TimeoutError, match='It had printed nothing'):
        package.run('slow.sh', 'sleep 60', executor=LocalSkillScriptExecutor(timeout=0.2))


@pytest.mark.parametrize('timeout', [0, -1, float('nan'), float('inf'), '30', True])
def test_a_timeout_must_be_positive_or_none(timeout: Any) -> None:
    with pytest.raises(ValueError, match='timeout must be a positive number of seconds, or None'):
        LocalSkillScriptExecutor(timeout=timeout)


def test_without_a_time_limit(package: Any) -> None:
    assert package.run('x.py', 'print(1)', executor=LocalSkillScriptExecutor(timeout=None)) == '1'


@pytest.mark.parametrize(
    ('options', 'error', 'message'),
    [
        ({'inherit_env': 'HOME'}, TypeError, "not the string 'HOME'"),
        ({'env_vars': {'A': 1}}, TypeError, 'env_vars: the variable A must be text or None, not int'),
        ({'env_vars': {'A=B': '1'}}, ValueError, "'A=B' is no name"),
        ({'env_vars': {'A': 'x\0'}}, ValueError, 'NUL'),
        ({'env_vars': ['A']}, TypeError, 'env_vars must map'),
        ({'context_env_vars_extractor': {}}, TypeError, 'must be a function'),
        ({'max_output_chars': 0}, ValueError, 'max_output_chars'),
        ({'interpreters': {'.ts': 'bun run'}}, TypeError, 'must be a list of words'),
        ({'interpreters': {'ts': ['bun']}}, ValueError, 'an extension such as'),
    ],
)
def test_options_that_are_wrong(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        LocalSkillScriptExecutor(**options)


def test_windows_is_refused_when_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    class Windows:
        name = 'nt'

    monkeypatch.setattr(running, 'os', Windows)
    with pytest.raises(NotImplementedError, match='LocalSkillScriptExecutor needs Linux or macOS'):
        LocalSkillScriptExecutor()


def test_a_script_that_is_gone_or_was_swapped(package: Any, tmp_path: Path) -> None:
    secret = tmp_path / 'secret.py'
    secret.write_text('print("OUTSIDE")')
    script = package.script('x.py', 'print("in")')
    Path(script.uri).unlink()
    assert package.run('x.py') == 'x.py was not run: its file is gone.'
    Path(script.uri).symlink_to(secret)
    assert package.run('x.py') == 'x.py was not run: it is no longer a regular file of its skill.'
    Path(script.uri).unlink()
    os.mkfifo(script.uri)
    assert package.run('x.py') == 'x.py was not run: it is no longer a regular file of its skill.'


def test_a_skill_whose_folder_is_gone(package: Any) -> None:
    package.script('x.py', 'print(1)')
    package.directory.rename(package.directory.with_name('elsewhere'))
    assert 'x.py was not run: its file is gone.' in package.run('x.py')


def test_arguments_that_no_program_can_take(package: Any) -> None:
    package.write('x.py', SHOW)
    with pytest.raises(ModelRetry, match='NUL'):
        package.run('x.py', args=['a\0b'])
    with pytest.raises(ModelRetry, match='not valid text'):
        package.run('x.py', args=['\ud800'])
    with pytest.raises(ModelRetry, match='stdin is not valid text'):
        package.run('x.py', stdin='\ud800')
    assert package.run('x.py', args=['a' * 200_000]) == (
        'x.py was not run: its arguments are longer than the system allows; pass long text as stdin.'
    )


def test_a_scratch_folder_that_a_script_made_hard_to_remove(
    package: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / 'tmp'
    scratch.mkdir()
    monkeypatch.setattr(tempfile, 'tempdir', str(scratch))
    body = (
        'import os\nos.chdir(os.environ["SKILL_OUTPUT_DIR"])\nopen("file", "w")\n'
        'for _ in range(1200): os.mkdir("d"); os.chdir("d")\nos.chmod(".", 0)\n'
    )
    assert package.run('deep.py', body) == '(no output)'
    assert list(scratch.iterdir()) == []


def test_a_full_temporary_directory_is_answered(package: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path / 'missing'))
    assert package.run('x.py', 'print(1)') == 'x.py was not run: No such file or directory.'


def test_a_python_that_is_not_there_is_answered(package: Any) -> None:
    executor = LocalSkillScriptExecutor(python_executable='/nonexistent/python')
    assert package.run('x.py', 'print(1)', executor=executor) == (
        'x.py was not run: it needs /nonexistent/python, which is not installed here (apt install python3).'
    )


def test_cancelling_ends_the_script_and_its_children(package: Any, tmp_path: Path) -> None:
    script = package.script('x.sh', 'sleep 60 & echo $$ $! > "$1"; wait\n')
    cancel_when_started(script, tmp_path)


def test_a_script_without_a_file(package: Any) -> None:
    script = package.script('x.py', 'print(1)')
    with pytest.raises(ValueError, match='has no file to run'):
        asyncio.run(LocalSkillScriptExecutor().run(type(script)(name='f')))


def test_a_registry_script_runs_from_a_copy_and_keeps_what_it_left(package: Any, own_cache: Path) -> None:
    body = 'import os\nopen("left.txt", "a").write("x")\nprint(os.getcwd(), open("left.txt").read())\n'
    place, left = package.run('scripts/x.py', body, from_registry=True).split()
    assert Path(place).is_relative_to(own_cache)
    assert Path(place).name == 'demo'
    assert left == 'x'
    assert package.run('scripts/x.py', from_registry=True).split() == [place, 'xx']
    assert not (package.directory / 'left.txt').exists()


def test_the_python_is_the_agents_own(package: Any) -> None:
    assert package.run('x.py', 'import sys\nprint(sys.executable)') == sys.executable
    assert local.LocalSkillScriptExecutor is LocalSkillScriptExecutor


def test_an_approved_script_runs_from_a_fresh_copy(package: Any) -> None:
    body = 'import os\nopen("left.txt", "w")\nprint(os.getcwd(), sorted(os.listdir(".")))\n'
    package.write('x.py', body)
    approved = package_digest(package.directory)
    place, _, names = package.run('x.py', approved_digest=approved).partition(' ')
    assert Path(place).name == 'demo'
    assert not Path(place).exists()
    assert names == "['SKILL.md', 'left.txt', 'x.py']"
    assert not (package.directory / 'left.txt').exists()
    package.write('other.md', 'changed')
    assert package.run('x.py', approved_digest=approved) == ('x.py was not run: the files of its skill have changed.')


def test_a_registry_script_that_cannot_be_copied(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> Any:
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('pydantic_ai_skills.executors.on_host.package_copy', full)
    assert package.run('x.py', 'print(1)', from_registry=True) == (
        'x.py was not run: the files of its skill cannot be copied (No space left on device).'
    )


def test_a_link_to_a_script_in_the_package_runs_by_its_name(package: Any) -> None:
    package.write('shared/real.py', 'import sys\nprint(sys.argv[0])')
    (package.directory / 'x.py').symlink_to('shared/real.py')
    script = package.script('x.py')
    linked = replace(script, uri=str(package.directory / 'shared/real.py'))
    assert asyncio.run(linked.run(None)) == str(package.directory / 'x.py')


def test_a_script_that_cannot_be_read(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*args: Any) -> int:
        raise PermissionError(13, 'Permission denied')

    monkeypatch.setattr('pydantic_ai_skills.executors.source.open_inside', denied)
    assert package.run('x.py', 'print(1)') == 'x.py was not run: its file cannot be read (Permission denied).'


def test_a_scratch_that_was_swapped_for_a_link(tmp_path: Path) -> None:
    (tmp_path / 'mine').mkdir()
    (tmp_path / 'mine/file').write_text('')
    (tmp_path / 'scratch').symlink_to(tmp_path / 'mine')
    remove_tree(tmp_path / 'scratch')
    assert not (tmp_path / 'scratch').exists()
    assert (tmp_path / 'mine/file').exists()
    remove_tree(tmp_path / 'scratch')


def test_a_run_cancelled_twice_leaves_no_scratch(package: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'tmp').mkdir()
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path / 'tmp'))
    os.mkfifo(tmp_path / 'fifo')
    script = package.script('x.sh', 'echo x > "$SKILL_OUTPUT_DIR/x"; echo > "$1"; sleep 60')

    async def cancelled() -> None:
        task = asyncio.create_task(script.run(None, [str(tmp_path / 'fifo')]))
        await asyncio.to_thread((tmp_path / 'fifo').read_text)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert list((tmp_path / 'tmp').iterdir()) == []
