"""Skills from Git, pinned to a commit: `python examples/pinned_git.py [--url URL --commit SHA]`.

Without a URL the example makes a repository in a temporary folder, pins its first commit, and then commits something
that a pinned agent must not get.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from offline import choose_model, load, parse_args, run
from pydantic_ai import Agent

from pydantic_ai_skills import GitSkillsRegistry, LocalSkillScriptExecutor, SkillsCapability

IDENTITY = {
    'GIT_AUTHOR_NAME': 'example',
    'GIT_AUTHOR_EMAIL': 'example@example.com',
    'GIT_COMMITTER_NAME': 'example',
    'GIT_COMMITTER_EMAIL': 'example@example.com',
}


def git(repository: Path, *args: str) -> str:
    command = ['git', '-C', str(repository), *args]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **IDENTITY}
    ).stdout.strip()


SKILL = """---
name: greeting
description: Says hello. Use it to greet.
---

Run `scripts/greet.sh`.
"""


def commit(repository: Path, greeting: str) -> str:
    scripts = repository / 'greeting' / 'scripts'
    scripts.mkdir(parents=True, exist_ok=True)
    scripts.with_name('SKILL.md').write_text(SKILL)
    (scripts / 'greet.sh').write_text(f'echo "{greeting}"\n')
    git(repository, 'add', '.')
    git(repository, 'commit', '-q', '-m', greeting)
    return git(repository, 'rev-parse', 'HEAD')


def example_repository(folder: Path) -> tuple[str, str]:
    folder.mkdir()
    git(folder, 'init', '-q')
    pinned = commit(folder, 'Hello!')
    commit(folder, 'Something else.')
    return str(folder), pinned


def main() -> None:
    args = parse_args(url='a repository whose folders are skills', commit='the full id of a commit of it')
    with tempfile.TemporaryDirectory() as folder:
        url, pinned = (args.url, args.commit) if args.url else example_repository(Path(folder, 'repository'))
        registry = GitSkillsRegistry(url, ref=pinned, target_dir=None if args.url else Path(folder, 'store'))
        # To name an executor says that this repository's scripts may run here; BubblewrapScriptExecutor() is safer.
        skills = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor())
        print(f'{skills.skill_names} at {registry.revision()[:12]}, pinned to {pinned[:12]}')
        script = [load(skills.skill_names[0])] if args.url else [load('greeting'), run('greeting', 'scripts/greet.sh')]
        model = choose_model(args.model, *script)
        print(Agent(model, capabilities=[skills]).run_sync('Greet me.').output)


main()
