"""The files of a new skill: it counts words, so that all of its parts can be tried before they are replaced."""

from __future__ import annotations

import json
from collections.abc import Mapping

_SKILL = """\
---
name: {name}
description: {description}
metadata:
  version: "1.0"
---

# {title}

1. Run the script on the file, or on standard input with `-`:

   ```sh
   python scripts/count.py report.txt
   python scripts/count.py report.txt --top 10
   ```

2. Read [how to judge the figures](references/figures.md) before you draw conclusions.
3. Answer with the figures that the question is about, and nothing else.
"""

_SCRIPT = '''\
#!/usr/bin/env python3
"""Count the lines, words and most common words of a text."""

import argparse
import re
import sys
from collections import Counter
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('file', help='a text file, or - for standard input')
    parser.add_argument('--top', type=int, default=5, metavar='N', help='most common words to show (default: 5)')
    options = parser.parse_args()
    try:
        text = sys.stdin.read() if options.file == '-' else Path(options.file).read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f'{options.file} cannot be read: {error}')
    words = re.findall(r"[^\\W_]+(?:'[^\\W_]+)?", text.lower())
    print(f'{len(text.splitlines())} lines, {len(words)} words, {len(set(words))} different')
    for word, count in Counter(words).most_common(options.top):
        print(f'{count:6} {word}')


if __name__ == '__main__':
    main()
'''

_REFERENCE = """\
# Judging the figures

- A word is a run of letters or digits; case does not matter, and `don't` is one word.
- The most common words are mostly articles and prepositions: look further down the list for what a text is about.
"""


def skill_files(name: str, description: str | None = None) -> Mapping[str, str]:
    """The text of each file of a new skill by its path.

    Args:
        name: Its name, a legal one.
        description: What the frontmatter says; one that fits the example where it is `None`.
    """
    title = name.replace('-', ' ').capitalize()
    text = description or (
        'Counts the lines, words and most common words of a text. Use it when somebody asks how long a text is or '
        'which words it repeats.'
    )
    evals = {
        'skill_name': name,
        'evals': [
            {
                'id': 1,
                'prompt': 'Which three words does this repeat most? "the cat saw the dog and the dog saw the cat"',
                'expected_output': 'the (4), then cat, saw and dog (2 each)',
                'files': [],
                'assertions': ['The answer says that "the" occurs four times.'],
            }
        ],
    }
    return {
        'SKILL.md': _SKILL.format(name=name, title=title, description=json.dumps(text, ensure_ascii=False)),
        'scripts/count.py': _SCRIPT,
        'references/figures.md': _REFERENCE,
        'evals/evals.json': json.dumps(evals, indent=2) + '\n',
    }
