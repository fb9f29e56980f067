"""Feed made-up `SKILL.md` files, then made-up libraries: no exception, no example over 1 s, no more than 100 MB.

    scripts/soak [EXAMPLES [SEED]]

100,000 of each take about an hour and a half. The checks are those of the suite's property tests; on a failure Hypothesis
prints the smallest example. Beside the files, every hundredth example is a large one: up to 64 KiB of a few pieces, repeated.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from pydantic_ai_skills.reading import SkillSource, read_skills

from .skill_texts import PIECES, folders, skill_files
from .test_libraries import check_library
from .test_reading import check_files
from .test_repair import check_repair
from .trees import libraries

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


class Figures:
    """What examples took and came to."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.slowest: tuple[float, str] = (0.0, '')
        self._before = peak_megabytes()
        self._started = time.perf_counter()

    def took(self, cpu_seconds: float, example: object) -> None:
        if cpu_seconds > self.slowest[0]:
            self.slowest = (cpu_seconds, repr(example)[:300])

    def tell(self, title: str) -> bool:
        """Print; whether all stayed within the limits."""
        grown = peak_megabytes() - self._before
        print(f'{title}: {time.perf_counter() - self._started:,.0f} s; {grown:.0f} MB more')
        print(f'slowest: {self.slowest[0]:.2f} s of CPU for {self.slowest[1]}')
        for name, count in self.outcomes.most_common():
            print(f'{count:9,} {name}')
        sys.stdout.flush()
        return self.slowest[0] <= LIMIT_SECONDS and grown <= LIMIT_MEGABYTES


def repeat(examples: int, first_seed: int, check: Callable[..., None], *strategies: Any) -> None:
    """Let Hypothesis make the examples, a block at a time: it remembers what it has tried, more than is measured here."""
    for block in range(-(-examples // BLOCK)):
        options = settings(
            max_examples=min(BLOCK, examples),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        )
        seed(first_seed * 10_000 + block)(options(given(*strategies)(check)))()


def soak_files(examples: int, first_seed: int) -> bool:
    """Read files, strictly and not."""
    numbers = random.Random(first_seed)
    read_skills([SkillSource('demo', b'---\ndescription: x\n---\n')])
    figures = Figures()

    def timed(raw: bytes, folder: str) -> None:
        started = time.process_time()
        found = [read_skills([SkillSource(folder, raw)], strict=strict)[0] for strict in (False, True)]
        figures.took(time.process_time() - started, raw[:200])
        figures.outcomes.update(finding.code for finding in found[0].findings)
        figures.outcomes['loads'] += found[0].definition is not None
        figures.outcomes['loads as it is'] += found[1].definition is not None

    def check(folder: str, raw: bytes) -> None:
        timed(raw, folder)
        check_files([(folder, raw), ('other', b'---\ndescription: Other.\n---\n')])
        check_repair(raw, folder)
        if numbers.random() < 0.01:
            timed(large_file(numbers), folder)

    repeat(examples, first_seed, check, folders, skill_files)
    return figures.tell(f'{examples:,} files, seed {first_seed}, each read twice')


def soak_libraries(examples: int, first_seed: int) -> bool:
    """Construct over libraries, strictly or not, twice, and read them anew."""
    check_library({}, False)
    figures = Figures()

    def check(tree: Any, strict: bool) -> None:
        started = time.process_time()
        names = check_library(tree, strict)
        figures.took(time.process_time() - started, tree)
        figures.outcomes[f'{len(names)} skills'] += 1

    repeat(examples, first_seed, check, libraries, st.booleans())
    return figures.tell(f'{examples:,} libraries, seed {first_seed}, each read three times')


def main(examples: int = 100_000, first_seed: int = 1) -> int:
    """Run both; 1 if something was slower or larger than it may be (a wrong result raises)."""
    within = [soak_files(examples, first_seed), soak_libraries(examples, first_seed)]
    return int(not all(within))


if __name__ == '__main__':
    sys.exit(main(*(int(argument.replace('_', '')) for argument in sys.argv[1:])))
