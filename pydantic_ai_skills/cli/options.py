"""Options that several commands have, so that they are called and explained alike."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

SourcesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar='SOURCE',
        help='Folder, git+https://HOST/REPO@REF#PATH or s3://BUCKET/PREFIX; .agents/skills and .claude/skills unless given.',
        show_default=False,
    ),
]
SourceOption = Annotated[
    list[str] | None,
    typer.Option(
        '--source', '-s', metavar='SOURCE', help='Where to look, as for `list`; may be repeated.', show_default=False
    ),
]
SkillArgument = Annotated[
    str, typer.Argument(metavar='SKILL', help='Name of a skill, or its folder.', show_default=False)
]
JsonOption = Annotated[bool, typer.Option('--json', help='Write JSON.')]


class Executor(StrEnum):
    """Where scripts run."""

    local = 'local'
    bubblewrap = 'bubblewrap'


ExecutorOption = Annotated[
    Executor | None,
    typer.Option(
        '--executor', help="Run scripts here or in a sandbox; unless given, here for a folder's.", show_default=False
    ),
]
