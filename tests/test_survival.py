"""One agent run that meets every kind of script failure and goes on: none of them may end it (issue: the main job)."""

from __future__ import annotations

from pathlib import Path

from pydantic_ai_skills import LocalSkillScriptExecutor, SkillsCapability

from .support import load, make_library, read, run, script, skill_text

SCRIPTS = {
    'slow.py': 'import time\nprint("begun", flush=True)\ntime.sleep(60)\n',
    'lost': '#!/nonexistent/interpreter\n',
    'gone.py': 'print("never")\n',
    'loud.py': 'import sys\nfor _ in range(300):\n    sys.stdout.write("x" * 99_999 + "\\n")\n',
    'latin.py': 'import sys\nsys.stdout.buffer.write(b"caf\\xe9\\n")\n',
    'fails.py': 'import sys\nprint("half")\nsys.exit("broken")\n',
    'killed.py': 'import os, signal\nprint("alive", flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n',
    'fine.py': 'print("fine")\n',
}


def test_a_run_survives_every_failure_of_a_script(tmp_path: Path) -> None:
    files = {f'demo/scripts/{name}': text for name, text in SCRIPTS.items()}
    library = make_library(
        tmp_path, {**files, 'demo/SKILL.md': skill_text(), 'demo/a.md': 'A'}, {'demo/scripts/lost': 0o755}
    )
    capability = SkillsCapability(library, script_executor=LocalSkillScriptExecutor(timeout=4))
    assert 'scripts/gone.py' in capability.packages['demo'].scripts_by_name
    (library / 'demo/scripts/gone.py').unlink()
    seen = run(capability, [load(), *(script(f'scripts/{name}') for name in SCRIPTS), read('a.md')])
    assert seen.result.output == 'done'
    answers = dict(zip(SCRIPTS, seen.answers[1:], strict=False))
    assert 'begun' in answers['slow.py'] and 'longer than 4 s' in answers['slow.py']
    assert '/nonexistent/interpreter' in answers['lost']
    assert 'its file is gone' in answers['gone.py']
    assert '10 MiB' in answers['loud.py'] and len(answers['loud.py']) < 31_000
    assert answers['latin.py'] == 'caf\ufffd'
    assert 'half' in answers['fails.py'] and 'broken' in answers['fails.py'] and '1' in answers['fails.py']
    assert 'alive' in answers['killed.py'] and 'SIGKILL' in answers['killed.py']
    assert answers['fine.py'] == 'fine'
    assert seen.last == 'A'
