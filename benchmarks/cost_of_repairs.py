"""What repairs cost: reading `SKILL.md` files of which every tenth needs one, against files that need none.

    python benchmarks/cost_of_repairs.py

In CPU seconds, the best of several rounds, for each kind of trouble and for the mixture that published skills have.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pydantic_ai_skills.reading import SkillSource, read_skills

SKILLS, ROUNDS = 200, 50
DESCRIPTION = 'Use this skill to fill, merge or split PDF forms, and when the user asks about forms. ' * 3
BODY = '\n## Steps\n\nRead `references/forms.md` first, then run the script that it names.\n' * 95
EXTRA = 'license: MIT\nmetadata:\n  author: someone\n  version: "1.0"\n'


def skill_md(name: str, description: str = DESCRIPTION, head: str = '') -> bytes:
    """A `SKILL.md` of median size: 256 characters of description, 7.7 KB of body."""
    return f'{head}---\nname: {name}\ndescription: {description}\n{EXTRA}---\n{BODY}'.encode()


TROUBLES: dict[str, Callable[[int], bytes]] = {
    'name differs': lambda index: skill_md(f'vendor-skill-{index}'),
    'name illegal': lambda index: skill_md(f'Skill {index}'),
    'colon': lambda index: skill_md(f'skill-{index}', f'Use when: {DESCRIPTION}'),
    'colon and brackets': lambda index: skill_md(f'skill-{index}', f'Use when: [x] {{y}}! why? {DESCRIPTION}'),
    'byte order mark': lambda index: skill_md(f'skill-{index}', head='\ufeff'),
    'comment above': lambda index: skill_md(f'skill-{index}', head='<!-- (c) -->\n\n'),
    'tab after a colon': lambda index: skill_md(f'skill-{index}').replace(b'license: ', b'license:\t'),
}


def cpu_seconds(sources: Sequence[SkillSource]) -> float:
    """CPU time of reading them once."""
    started = time.process_time()
    read_skills(sources)
    return time.process_time() - started


def main() -> None:
    """Print a line per kind of trouble."""
    kinds = list(TROUBLES.values())
    mixture = [kinds[0]] * 5 + [kinds[1]] * 2 + [kinds[2]] * 2 + [kinds[4]]
    libraries: dict[str, list[SkillSource]] = {'none': []}
    for label in [*TROUBLES, 'as published']:
        libraries[label] = []
    for index in range(SKILLS):
        for label, sources in libraries.items():
            trouble = mixture[index // 10 % 10] if label == 'as published' else TROUBLES.get(label)
            needs = trouble is not None and index % 10 == 0
            raw = trouble(index) if needs else skill_md(f'skill-{index}')
            sources.append(SkillSource(f'skill-{index}', raw))
    best = dict.fromkeys(libraries, float('inf'))
    for _ in range(ROUNDS):  # in turns, so that a busy machine slows all of them alike
        for label, sources in libraries.items():
            best[label] = min(best[label], cpu_seconds(sources))
    for label, seconds in best.items():
        print(f'{label:20} {seconds / SKILLS * 1_000:6.3f} ms a skill  {seconds / best["none"] - 1:+6.1%}')


if __name__ == '__main__':
    main()
