"""What a script left behind, as text for a model: its output, its error output and its exit code."""

from __future__ import annotations

import signal
from dataclasses import dataclass

MAX_OUTPUT_CHARACTERS = 30_000
"""Characters of output that reach the model by default, about 7,500 tokens (contract, section 5)."""

NO_OUTPUT = '(no output)'
"""What is said of a script that printed nothing, since an empty answer reads like a fault."""


@dataclass(frozen=True)
class ScriptOutput:
    """The text for the model, and whether anything of the output is missing from it."""

    text: str
    cut: bool


def format_output(stdout: str, stderr: str, limit: int, last_line: str | None = None) -> ScriptOutput:
    """Standard output, then a block of error output if there is any, then `last_line`, which is never cut.

    Output of more than `limit` characters keeps its head and its tail, which is where programs say what went
    wrong, with the number of characters left out between them.
    """
    body = stdout.rstrip('\r\n')
    if errors := stderr.rstrip('\r\n'):
        body = f'{body}\n\nStderr:\n{errors}' if body.strip() else f'Stderr:\n{errors}'
    elif not body.strip():
        body = '' if last_line else NO_OUTPUT
    kept = cut_middle(body, limit)
    text = '\n\n'.join(part for part in (kept, last_line) if part)
    return ScriptOutput(text, kept is not body)


def cut_middle(text: str, limit: int) -> str:
    """`text` itself if it has at most `limit` characters, else its two ends and how many are left out between."""
    if len(text) <= limit:
        return text
    head = (limit + 1) // 2
    tail = limit - head
    left_out = len(text) - limit
    return f'{text[:head]}\n[... {left_out:,} characters left out ...]\n{text[len(text) - tail :]}'


def exit_line(exit_code: int) -> str | None:
    """How a script ended, if not well: `Script exited with code 3`, with the signal's name where one killed it."""
    if exit_code == 0:
        return None
    try:
        name = signal.Signals(exit_code - 128).name if exit_code > 128 else None
    except ValueError:
        name = None
    killed = '' if name is None else f' (killed by {name})'
    return f'Script exited with code {exit_code}{killed}'


def seconds_text(seconds: float) -> str:
    """A length of time for people and models: `1 second`, `2.5 seconds`."""
    return f'{seconds:g} second{"" if seconds == 1 else "s"}'
