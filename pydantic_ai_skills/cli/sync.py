"""`sync`: the skills of some sources in a folder of one's own, and kept like them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from .console import console, one_line, print_json
from .errors import FINDINGS, exit_code, naming, note, sentence, show_error
from .options import JsonOption

if TYPE_CHECKING:
    from .sources import FailedSource
    from .synced_folder import Outcome


def sync(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar='SOURCE',
            help='Folder, git+https://HOST/REPO@REF#PATH or s3://BUCKET/PREFIX.',
            show_default=False,
        ),
    ],
    into: Annotated[Path, typer.Option(metavar='FOLDER', help='Where they go.', show_default=False)],
    json: JsonOption = False,
) -> None:
    """Copy skills into a folder; show what came, changed and went."""
    from .locations import locations
    from .sources import FailedSource, Source, open_sources
    from .synced_folder import sync_into

    opened = list(open_sources(locations(sources)))
    failed = [item for item in opened if isinstance(item, FailedSource)]
    ready = [item for item in opened if isinstance(item, Source)]
    try:
        outcome = sync_into(into.expanduser(), ready)
    except OSError as error:
        raise naming(error, into) from error
    if json:
        print_json(_as_dict(into, outcome, failed))
    else:
        for text in (text for source in ready for text in source.notes):
            note(text)
        _show(outcome)
        for item in failed:
            show_error(item.sentence())
    codes = [exit_code(item.error) for item in failed] + [FINDINGS for _ in (*outcome.left_alone, *outcome.left_out)]
    if codes:
        raise typer.Exit(max(codes))


def _as_dict(into: Path, outcome: Outcome, failed: list[FailedSource]) -> dict[str, Any]:
    from .reports import problem_dict

    return {
        'into': str(into.expanduser().absolute()),
        'came': outcome.came,
        'changed': outcome.changed,
        'went': outcome.went,
        'unchanged': outcome.unchanged,
        'left_alone': [{'name': name, 'reason': reason} for name, reason in outcome.left_alone.items()],
        'left_out': [problem_dict(item) for item in outcome.left_out],
        'failed_sources': [{'source': item.location.text, 'error': sentence(item.error)} for item in failed],
    }


def _show(outcome: Outcome) -> None:
    out = console()
    changes = (('+', 'green', outcome.came), ('~', 'yellow', outcome.changed), ('-', 'red', outcome.went))
    for sign, style, names in changes:
        for name in names:
            out.print(Text(f'{sign} {name}', style=style), soft_wrap=True)
    for name, reason in outcome.left_alone.items():
        out.print(Text(f'! {name}: ', style='bold red').append(one_line(reason), style='none'), soft_wrap=True)
    for item in outcome.left_out:
        out.print(Text('! ', style='bold red').append(one_line(str(item)), style='none'), soft_wrap=True)
    counts = (('came', outcome.came), ('changed', outcome.changed), ('went', outcome.went))
    out.print(', '.join(f'{len(names)} {what}' for what, names in (*counts, ('unchanged', outcome.unchanged))) + '.')
