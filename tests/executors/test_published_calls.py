"""The shapes of command lines in published skills, each on a package rebuilt with the same shape, called as its text says."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from pydantic_ai_skills.executors import BubblewrapScriptExecutor, LocalSkillScriptExecutor, WorkspaceScriptExecutor

from .test_bubblewrap import can_sandbox
from .test_inline import index

__all__ = ['index']


@pytest.fixture(params=['local', 'workspace', 'sandbox'])
def executor(request: pytest.FixtureRequest, tmp_path: Any) -> Any:
    if request.param == 'local':
        return LocalSkillScriptExecutor()
    if request.param == 'workspace':
        from pydantic_ai.workspaces import LocalWorkspaceBackend

        return WorkspaceScriptExecutor(LocalWorkspaceBackend(tmp_path), cwd='skill')
    if not can_sandbox():
        pytest.skip('needs bubblewrap (apt install bubblewrap) and user namespaces')
    return BubblewrapScriptExecutor(cwd='skill')


def test_comment(package: Any, executor: Any) -> None:
    """`comment.py unpacked/ 0 "text"`"""
    package.write('unpacked/doc.xml', '<p/>')
    body = (
        'import argparse, os\np = argparse.ArgumentParser()\np.add_argument("folder")\np.add_argument("id", type=int)\n'
        'p.add_argument("text")\na = p.parse_args()\nprint(os.listdir(a.folder), a.id, a.text)\n'
    )
    expected = "['doc.xml'] 0 Fix this, please"
    assert package.run('scripts/comment.py', body, ['unpacked/', 0, 'Fix this, please'], executor=executor) == expected
    assert package.run('scripts/comment.py', args='unpacked/ 0 "Fix this, please"', executor=executor) == expected


def test_recalc(package: Any, executor: Any) -> None:
    """`recalc.py out.xlsx 30`"""
    package.write('out.xlsx', b'PK\x03\x04')
    body = (
        'import json, os, sys\nprint(json.dumps({"file": os.path.getsize(sys.argv[1]), "timeout": int(sys.argv[2])}))'
    )
    assert json.loads(package.run('recalc.py', body, ['out.xlsx', 30], executor=executor)) == {'file': 4, 'timeout': 30}


def test_with_server(package: Any, executor: Any) -> None:
    """`with_server.py --server A --port 1 --server B --port 2 -- python x.py`"""
    body = (
        'import argparse, subprocess, sys\np = argparse.ArgumentParser()\np.add_argument("--server", action="append")\n'
        'p.add_argument("--port", action="append", type=int)\np.add_argument("command", nargs=argparse.REMAINDER)\n'
        'a = p.parse_args()\ncommand = a.command[1:] if a.command[0] == "--" else a.command\n'
        'print(list(zip(a.server, a.port)), flush=True)\nsubprocess.run([sys.executable, *command[1:]], check=True)\n'
    )
    package.write('x.py', 'print("ran x")')
    words = ['--server', 'A', '--port', '1', '--server', 'B', '--port', '2', '--', 'python', 'x.py']
    answer = package.run('scripts/with_server.py', body, words, executor=executor)
    assert answer.splitlines() == ["[('A', 1), ('B', 2)]", 'ran x']


def test_module(package: Any, executor: Any) -> None:
    """`python -m scripts.aggregate DIR`: run as a file, it still finds what is beside it and what the root holds."""
    package.write('scripts/__init__.py', '')
    package.write('scripts/shared.py', 'def total(values): return sum(values)')
    package.write('data/a.txt', '1')
    package.write('data/b.txt', '2')
    body = (
        'import os, sys\nfrom scripts.shared import total\n'
        'print(total(int(open(os.path.join(sys.argv[1], name)).read()) for name in os.listdir(sys.argv[1])))\n'
    )
    assert package.run('scripts/aggregate.py', body, ['data'], executor=executor) == '3'
    module = package.run(
        'scripts/module.sh',
        'command -v python3 >/dev/null && python3 -m scripts.aggregate "$1"',
        ['data'],
        executor=executor,
    )
    assert module == '3', 'by -m too, since it starts in the root of the skill'


def test_stdin(package: Any, executor: Any) -> None:
    """`echo '{"q":1}' | python civic.py`"""
    body = 'import json, sys\nprint(json.load(sys.stdin)["q"] + 1)'
    assert package.run('civic.py', body, stdin='{"q":1}', executor=executor) == '2'


def test_end_of_options(package: Any, executor: Any) -> None:
    """`audit.py -- src/`"""
    body = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("paths", nargs="*")\nprint(p.parse_args().paths)'
    assert package.run('scripts/audit.py', body, ['--', 'src/'], executor=executor) == "['src/']"


def test_several_values(package: Any, executor: Any) -> None:
    """`x.py --files a b`, where repeating the flag keeps only the last"""
    body = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--files", nargs="+")\nprint(p.parse_args().files)'
    assert package.run('scripts/x.py', body, ['--files', 'a', 'b'], executor=executor) == "['a', 'b']"


@pytest.mark.skipif(shutil.which('node') is None, reason='needs node (apt install nodejs)')
def test_node_with_a_hyphen_for_stdin(package: Any, executor: Any) -> None:
    """`node vega.mjs create <id> -`"""
    body = (
        'import { readFileSync } from "node:fs";\nconst [command, id, source] = process.argv.slice(2);\n'
        'console.log(command, id, JSON.parse(readFileSync(source === "-" ? 0 : source, "utf8")).mark);\n'
    )
    assert package.run('scripts/vega.mjs', body, ['create', 'c1', '-'], stdin='{"mark": "bar"}', executor=executor) == (
        'create c1 bar'
    )


def test_typescript(package: Any, executor: Any) -> None:
    """`main.ts input.png`: runs by what there is, or says what is missing"""
    answer = package.run(
        'scripts/main.ts', 'const name: string = process.argv[2]; console.log(name)', ['input.png'], executor=executor
    )
    assert answer == 'input.png' or answer.startswith(
        'scripts/main.ts was not run: TypeScript needs bun, deno or Node.js'
    )


def test_typescript_by_a_command_of_ones_own(package: Any) -> None:
    """The same where an interpreter is given."""
    own = LocalSkillScriptExecutor(interpreters={'.ts': ['sh', '-c', 'echo "by own command: $2"', 'sh']})
    assert package.run('scripts/main.ts', 'x', ['input.png'], executor=own) == 'by own command: input.png'


def test_no_suffix_no_bit_but_a_shebang(package: Any, executor: Any) -> None:
    """`tool` without suffix and execute bit but a shebang"""
    assert (
        package.run('scripts/tool', '#!/usr/bin/env bash\nset -- "$@" end\necho "$@"\n', ['a'], executor=executor)
        == 'a end'
    )


def test_dependency(package: Any, index: Any, executor: Any) -> None:
    """a PEP 723 script with a dependency"""
    if isinstance(executor, WorkspaceScriptExecutor):
        pytest.skip('the workspace has settings of its own for uv: see test_workspace')
    body = (
        '# /// script\n# dependencies = ["skilldep"]\n# ///\nimport skilldep, sys\nprint(skilldep.VALUE, sys.argv[1])\n'
    )
    assert package.run('scripts/fetch.py', body, ['x'], executor=executor) == '42 x'


def test_deeper_folder(package: Any, executor: Any) -> None:
    """`office/unpack.py in.docx out/`"""
    package.write('scripts/office/helpers.py', 'NAME = "helper"')
    package.write('in.docx', b'PK\x03\x04')
    body = 'import os, sys\nfrom helpers import NAME\nprint(NAME, os.path.getsize(sys.argv[1]), os.path.basename(os.path.dirname(sys.argv[2])))\n'
    assert package.run('scripts/office/unpack.py', body, ['in.docx', 'out/'], executor=executor) == 'helper 4 out'
