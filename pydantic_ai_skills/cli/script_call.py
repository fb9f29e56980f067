"""Calling the file tools as an agent does: the very functions, with a context of no run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext
from opentelemetry.util.types import AttributeValue
from pydantic_ai import ModelRetry

from ..entry import SkillEntry
from ..toolset import SkillFilesToolset
from .errors import WrongUseError
from .lookup import tool_context

_SCRIPT = 'pydantic_ai_skills.script.'


@dataclass
class ScriptCall:
    """What became of a call."""

    skill: str
    script: str
    args: Sequence[str]
    output: str = ''
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the executor notes on the span of a tool call."""

    @property
    def exit_code(self) -> int | None:
        """The script's exit code; `None` where it did not end by itself, or was not run."""
        return self.attributes.get(f'{_SCRIPT}exit_code')

    @property
    def succeeded(self) -> bool:
        """Whether it ran, and ended well."""
        return self.exit_code == 0

    def as_dict(self) -> dict[str, Any]:
        """The call for `--json`."""
        return {
            'skill': self.skill,
            'script': self.script,
            'args': list(self.args),
            'output': self.output,
            'exit_code': self.exit_code,
            'seconds': self.attributes.get(f'{_SCRIPT}seconds'),
        }


class _Noting(NonRecordingSpan):
    """Keeps what is noted on the span of a tool call: exit code and time, which the model's text has not got as such."""

    def __init__(self) -> None:
        super().__init__(SpanContext(0, 0, is_remote=False))
        self.attributes: dict[str, AttributeValue] = {}

    def is_recording(self) -> bool:
        return True

    def set_attribute(self, key: str, value: AttributeValue) -> None:
        self.attributes[key] = value


async def call_script(entry: SkillEntry, script: str, args: Sequence[str] | None, stdin: str | None) -> ScriptCall:
    """What `run_skill_script` answers.

    Raises:
        WrongUseError: what the model would be told to do better.
    """
    span = _Noting()
    ctx = replace(tool_context(), tracer=trace.get_tracer('pydantic_ai_skills.cli'))
    words: list[Any] = list(args or ())
    with trace.use_span(span):
        try:
            output = await _toolset(entry).run_skill_script(ctx, entry.name, script, words or None, stdin)
        except ModelRetry as retry:
            raise WrongUseError(retry.message) from retry
    return ScriptCall(entry.name, script, words, str(output), span.attributes)


async def read_file(entry: SkillEntry, name: str, args: Mapping[str, Any] | None) -> Any:
    """What `read_skill_resource` answers; errors as `call_script`."""
    try:
        arguments = dict(args) if args else None
        return await _toolset(entry).read_skill_resource(tool_context(), entry.name, name, arguments)
    except ModelRetry as retry:
        raise WrongUseError(retry.message) from retry


def _toolset(entry: SkillEntry) -> SkillFilesToolset:
    return SkillFilesToolset({entry.name: entry.package}, require_loaded=False)
