"""Calls of scripts as a skill's instructions write them: from lines of shell to a script and its arguments."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..index import SCRIPT_EXTENSIONS
from .documents import Code

PLACEHOLDER = 'PLACEHOLDER'
"""What takes the place of `<input>` and its like: any value would do."""

_LANGUAGES = frozenset(['', 'sh', 'bash', 'shell', 'zsh', 'console', 'shell-session', 'terminal', 'shellscript'])
_INTERPRETERS = re.compile(r'(?:python[\d.]*|bash|sh|zsh|fish|node|bun|deno|ruby|perl|pwsh|tsx|ts-node|uvx?|npx)')
_RUNNERS = frozenset(['run', '--script', 'tsx', 'ts-node', 'python', 'python3', 'exec', 'time', 'sudo', '--'])
_ASSIGNMENT = re.compile(r'[A-Za-z_]\w*=')
_ANGLES = re.compile(r'<[A-Za-z][^<>\n]*>')
_OWN_FOLDER = re.compile(
    r'^(?:\$\{?(?:CLAUDE_)?SKILL_DIR\}?|\{(?:baseDir|skill_dir|SKILL_DIR)\}|\./|PLACEHOLDER/(?=scripts/))/?'
)
_VARIABLE = re.compile(r'\$\{?\w+\}?|\$\([^()]*\)|%\w+%|\{\w+\}')


_NAMES_SCRIPT = re.compile(rf'scripts[/.]|(?:{"|".join(map(re.escape, sorted(SCRIPT_EXTENSIONS)))})\b', re.IGNORECASE)
"""What every call has somewhere; most code has not."""


@dataclass(frozen=True)
class ShellCall:
    """One call of something that is named like a script."""

    script: str
    """The path as it is written, without the skill's own folder before it."""
    args: tuple[str, ...]
    line: int
    by_itself: bool
    """Whether the path is the command, with no interpreter before it."""
    own: bool
    """Whether the line says that it is the skill's: by a placeholder for its folder, or by `scripts/`."""
    is_call: bool
    """Whether it is a whole call, not only a mention of the script in a sentence."""
    has_placeholders: bool

    @property
    def checkable(self) -> bool:
        """Whether its arguments are meant as they stand: no alternatives and nothing left out."""
        return self.is_call and not any('...' in arg or '…' in arg or arg.startswith('[') for arg in self.args)


def names_script(text: str) -> bool:
    """Whether a text may have a call of a script in it: without that, it need not be taken apart."""
    return _NAMES_SCRIPT.search(text) is not None


def shell_calls(code: Code) -> Iterator[ShellCall]:
    """The calls in a piece of code that is shell; none in other languages."""
    if code.language not in _LANGUAGES or not names_script(code.text):
        return
    for number, line in _lines(code):
        folder = ''
        for words in _commands(line):
            if words[0] == 'cd' and len(words) > 1:
                folder = posixpath.normpath(posixpath.join(folder, _OWN_FOLDER.sub('', words[1]) or '.'))
                continue
            if (call := _call(words, number, code.is_block, folder)) is not None:
                yield call


def _lines(code: Code) -> Iterator[tuple[int, str]]:
    """Whole lines of shell with their numbers: continued ones joined, prompts dropped."""
    held, start = '', code.line
    for number, line in enumerate(code.text.splitlines(), code.line):
        text = line.strip()
        if not held:
            start = number
            text = re.sub(r'^[$%>] ', '', text)
        if text.endswith('\\'):
            held += text[:-1] + ' '
            continue
        yield start, held + text
        held = ''
    if held:
        yield start, held


def _commands(line: str) -> Iterator[list[str]]:
    """The words of each command of a line; none where it is no shell, or offers alternatives."""
    line = _ANGLES.sub(PLACEHOLDER, line)
    if re.search(r'\w\|\w', line):  # `--format text|json`
        return
    line = re.sub(r'\[(-[^\[\]]*)\]', r'\1', line)  # optional flags are flags
    lexer = shlex.shlex(line, posix=True, punctuation_chars='|&;<>()')
    lexer.whitespace_split = True
    lexer.commenters = '#'
    words: list[str] = []
    skip = False
    try:
        for token in lexer:
            if token and set(token) <= set('|&;()'):
                if words:
                    yield words
                words, skip = [], False
            elif token and set(token) <= set('<>&'):
                skip = True  # what follows a redirection is a file
            elif skip:
                skip = False
            else:
                words.append(token)
    except ValueError:
        return
    if words:
        yield words


def _call(words: Sequence[str], line: int, is_block: bool, folder: str) -> ShellCall | None:
    rest = list(words)
    while rest and (_ASSIGNMENT.match(rest[0]) or rest[0] in ('sudo', 'time', 'exec')):
        rest.pop(0)
    by_itself = True
    while rest and (_INTERPRETERS.fullmatch(posixpath.basename(rest[0])) or (not by_itself and rest[0] in _RUNNERS)):
        rest.pop(0)
        by_itself = False
    if not by_itself and rest[:1] == ['-m'] and len(rest) > 1:
        rest = [rest[1].replace('.', '/') + '.py', *rest[2:]] if rest[1].startswith('scripts.') else []
    while not by_itself and rest and rest[0].startswith('-') and rest[0] not in ('-c', '-e', '-m'):
        rest.pop(0)
    if not rest or not _is_script(rest[0]):
        return None
    written = rest[0]
    path = _OWN_FOLDER.sub('', written)
    own = (path != written and not written.startswith('./')) or path.startswith('scripts/') or folder == 'scripts'
    if folder and path == written:
        path = posixpath.normpath(posixpath.join(folder, path))
    args = tuple(_VARIABLE.sub(PLACEHOLDER, word) for word in rest[1:])
    holds = any(PLACEHOLDER in word for word in args)
    return ShellCall(path, args, line, by_itself, own, is_block or not by_itself or len(rest) > 1, holds)


def _is_script(word: str) -> bool:
    path = _OWN_FOLDER.sub('', word)
    if _VARIABLE.search(path) or any(character in path for character in '*?[]{}~') or PLACEHOLDER in path:
        return False
    extension = posixpath.splitext(path)[1].lower()
    return extension in SCRIPT_EXTENSIONS or (path.startswith('scripts/') and extension == '' and len(path) > 8)
