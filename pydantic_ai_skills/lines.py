"""Line ends, as the format has them and as Python has them, and how the difference is kept from mattering.

YAML 1.2 and CommonMark end a line at LF, CRLF or CR. `str.splitlines`, by which harness reads a `SKILL.md`, also ends
it at eight other characters (and PyYAML, which is YAML 1.1, at three of those): a form feed in a body became a line
feed, and a line separator pasted into a description ended the value there. Text is therefore handed over with those
eight replaced by private-use characters that occur nowhere in it, and what comes back has them put in again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

SEPARATORS = '\v\f\x1c\x1d\x1e\x85\u2028\u2029'
"""What ends a line for `str.splitlines` and not for the format."""

_LINE_END = re.compile(r'\r\n|\n|\r')
_NO_STAND_INS: Mapping[int, str] = {}


@dataclass(frozen=True)
class Shielded:
    """A text without the eight separators, and how to get them back."""

    text: str
    """The text to hand to whoever splits lines by Python's rule."""

    originals: Mapping[int, str] = field(default_factory=lambda: _NO_STAND_INS)
    """The separator that each stand-in stands for, as `str.translate` takes it."""

    def restore(self, text: str) -> str:
        """`text`, which came out of the shielded one, with its separators."""
        return text.translate(self.originals) if self.originals else text


def shield(text: str) -> Shielded:
    """Replace the separators in `text` by characters that it does not hold, not even as an escape."""
    present = [separator for separator in SEPARATORS if separator in text]  # 1 µs for 8 KB, a pattern 130 µs (measured)
    if not present:
        return Shielded(text)
    stand_ins = {ord(separator): stand_in for separator, stand_in in zip(present, _unused(text), strict=False)}
    return Shielded(text.translate(stand_ins), {ord(stand_in): chr(code) for code, stand_in in stand_ins.items()})


def _unused(text: str) -> Iterator[str]:
    # Plane 15 is for private use and printable for YAML. There are more of these than a text that is worth reading
    # could use up: each takes it at least one character.
    lowered = text.lower()
    taken = set(re.findall('[\U000f0000-\U000ffffd]', text))
    return (
        character
        for code in range(0xF0000, 0xFFFFE)
        if (character := chr(code)) not in taken and f'{code:x}' not in lowered
    )


def single_separator(text: str) -> str:
    """`text` with every line end and separator as a line feed, so that who indents its lines indents all of them."""
    return '\n'.join(text.splitlines())


def skip_blank_lines(text: str, start: int = 0) -> int:
    """Where the first line that is not blank begins, from `start` on, itself the beginning of a line."""
    rest = len(text) - len(text[start:].lstrip())
    return max(start, text.rfind('\n', start, rest) + 1, text.rfind('\r', start, rest) + 1)


def without_blank_ends(text: str) -> str:
    """`text`, whose lines end in line feeds, without the blank ones at its beginning and end."""
    if not (stripped := text.rstrip()):
        return ''
    last = text.find('\n', len(stripped))
    return text[skip_blank_lines(text) : None if last < 0 else last]


def split_lines(text: str) -> list[str]:
    """The lines of `text` without their ends, by the format's rule; as with `splitlines`, none after the last end."""
    lines = _LINE_END.split(text)
    if lines[-1] == '':
        lines.pop()
    return lines
