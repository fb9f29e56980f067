"""Scripts that the instructions name: they exist, and can be called as written."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic_ai import ModelRetry

from ..access import find_script
from ..executors.commands import parse_shebang
from ..members import SkillScript
from .argument_parsers import parser_of, refusal
from .checked import CheckedPackage
from .documents import codes
from .problem import Problem, problem
from .shell_calls import ShellCall, names_script, shell_calls


def check_called_scripts(package: CheckedPackage) -> Iterator[Problem]:
    """Check each call and mention of a script in the instructions; those of a user's own files are let pass."""
    if not names_script(package.body):
        return
    try:
        names = {file.file.name for file in package.files}
        indexed = package.package
    except OSError:
        return
    told: set[tuple[str, str, str]] = set()
    for code in codes(package.body, package.body_line):
        for call in shell_calls(code):
            if not (call.own or call.script in names):
                continue
            try:
                script = find_script(indexed, call.script)
            except ModelRetry:
                found = [_missing(package, call, call.script in names)]
            else:
                found = list(_check_call(package, call, script))
            for item in found:
                if (key := (item.code, call.script, item.message)) not in told:
                    told.add(key)
                    yield item


def _missing(package: CheckedPackage, call: ShellCall, is_there: bool) -> Problem:
    path = package.skill_file
    message = f'{path}: the skill has no script {call.script!r}, which the instructions name.'
    if is_there:
        message = f'{path}: the instructions call {call.script!r}, which is a file of the skill but no script.'
    return problem('script-missing', path, message, line=call.line)


def _check_call(package: CheckedPackage, call: ShellCall, script: SkillScript) -> Iterator[Problem]:
    path = package.skill_file
    file = next(item for item in package.files if item.file.name == script.name)
    source = package.read(file)
    if call.by_itself and call.is_call and not (file.file.executable and (parse_shebang(source) or b'\0' in source)):
        message = f'{path}: the instructions call {call.script!r} by its path alone, which only executes here.'
        yield problem('script-not-executable', path, message, line=call.line)
    if not call.checkable or not script.name.endswith('.py'):
        return
    parser = parser_of(source)
    if parser is None:
        return
    complaint = refusal(parser, call.args)
    if complaint is not None and not (call.has_placeholders and 'choice' in complaint):
        shown = ' '.join((call.script, *call.args))
        message = f'{path}: the call `{shown}` in the instructions is refused by the script: {complaint}.'
        yield problem('script-arguments', path, message, line=call.line)
