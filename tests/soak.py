"""Feed made-up `SKILL.md` files to the reader: no exception, no example over 1 s, no more than 100 MB.

    scripts/soak [EXAMPLES [SEED]]

100,000 examples take about half an hour. The checks are those of the suite's property tests; on a failure Hypothesis
prints the smallest example. Beside them, every hundredth example is a large one: up to 64 KiB of a few pieces, repeated.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings

from pydantic_ai_skills.reading import SkillSource, read_skills

from .skill_texts import PIECES, folders, skill_files
from .test_reading import check_files
from .test_repair import check_repair

LIMIT_SECONDS, LIMIT_MEGABYTES, BLOCK = 1.0, 100.0, 1_000


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == 'darwin' else 2**10)


def large_file(numbers: random.Random) -> bytes:
    """Frontmatter of a few pieces over and over: near the limit, or far beyond it."""
    pattern = ''.join(numbers.choices(PIECES, k=numbers.randint(1, 4)))
    length = numbers.choice([4_000, 16_000, 64_000])
    head = numbers.choice(['', 'description: x\n', 'description: x\na: ', 'description: ', 'a: &a [x]\n'])
    repeated = (pattern * (length // len(pattern)))[:length]
    return f'---\n{head}{repeated}\n---\n{pattern * 9}'.encode('utf-8', 'replace')


def main(examples: int, first_seed: int) -> int:
    """Run; 1 if something was slower or larger than it may be (a wrong result raises)."""
    slowest: list[tuple[float, bytes]] = []
    outcomes: Counter[str] = Counter()
    numbers = random.Random(first_seed)
    read_skills([SkillSource('demo', b'---\ndescription: x\n---\n')])
    before = peak_megabytes()

    def timed(raw: bytes, folder: str) -> None:
        started = time.process_time()
        found = [read_skills([SkillSource(folder, raw)], strict=strict)[0] for strict in (False, True)]
        slowest.append((time.process_time() - started, raw[:200]))
        if len(slowest) > 1_000:
            slowest[:] = sorted(slowest, reverse=True)[:10]
        outcomes.update(finding.code for finding in found[0].findings)
        outcomes['loads'] += found[0].definition is not None
        outcomes['loads as it is'] += found[1].definition is not None

    def soak(folder: str, raw: bytes) -> None:
        timed(raw, folder)
        check_files([(folder, raw), ('other', b'---\ndescription: Other.\n---\n')])
        check_repair(raw, folder)
        if numbers.random() < 0.01:
            timed(large_file(numbers), folder)

    started = time.perf_counter()
    for block in range(-(-examples // BLOCK)):
        # Hypothesis remembers what it has tried, which over 100,000 examples is more than what is measured here.
        options = settings(
            max_examples=BLOCK,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        )
        seed(first_seed * 10_000 + block)(options(given(folders, skill_files)(soak)))()
    grown = peak_megabytes() - before
    slowest.sort(reverse=True)
    print(f'{examples:,} examples, seed {first_seed}: {time.perf_counter() - started:,.0f} s; {grown:.0f} MB more')
    print(f'slowest, read twice: {slowest[0][0]:.2f} s of CPU for {slowest[0][1]!r}')
    for name, count in outcomes.most_common():
        print(f'{count:9,} {name}')
    return int(slowest[0][0] > LIMIT_SECONDS or grown > LIMIT_MEGABYTES)


if __name__ == '__main__':
    sys.exit(
        main(*(int(argument.replace('_', '')) for argument in (sys.argv[1:] + ['100000', '1'][len(sys.argv) - 1 :])))
    )
