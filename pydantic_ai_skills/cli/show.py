"""`show`: one skill as its author wrote it and as a model gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from rich.text import Text

from .console import console, one_line, print_json, printable
from .console import show as show_whole
from .options import JsonOption, SkillArgument, SourceOption
from .tokens import is_estimate, token_count, token_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree

    from ..diagnostics import SkillDiagnostic
    from .skill_view import FileView, SkillView


def show(skill: SkillArgument, source: SourceOption = None, json: JsonOption = False) -> None:
    """Show one skill: frontmatter, instructions, files, size, problems."""
    from .lookup import choose_skill
    from .skill_view import skill_view

    view = skill_view(choose_skill(skill, source))
    if json:
        print_json(_as_dict(view))
    else:
        _show(console(), view)


def _as_dict(view: SkillView) -> dict[str, Any]:
    from .reports import problem_dict

    return {
        'name': view.name,
        'directory': view.directory,
        'source': view.source,
        'digest': view.digest,
        'offered_to_model': view.offered,
        'frontmatter': view.frontmatter,
        'catalog_entry': view.catalog_entry,
        'instructions': view.instructions,
        'tokens': {
            'catalog_entry': token_count(view.catalog_entry),
            'instructions': token_count(view.instructions),
            'estimated': is_estimate(),
        },
        'files': [
            {'name': file.name, 'kind': file.kind, 'size': file.size, 'calls': [call.as_dict() for call in file.calls]}
            for file in view.files
        ],
        'problems': [problem_dict(item) for item in view.problems],
    }


def _show(out: Console, view: SkillView) -> None:
    from rich.markdown import Markdown
    from rich.table import Table

    _heading(out, view.name)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style='dim', no_wrap=True)
    table.add_column(overflow='fold')
    for key, value in view.frontmatter.items():
        table.add_row(one_line(key), Text(_value_text(value)))
    table.add_row('folder', Text(one_line(view.directory or '')))
    table.add_row('source', Text(one_line(view.source)))
    show_whole(out, table)
    if not view.offered:
        out.print('Not offered to the model: only a person may invoke it.', style='yellow')
    _heading(out, f'Catalog entry, in every request: {token_text(view.catalog_entry)}')
    out.print(Text(printable(view.catalog_entry)), soft_wrap=not out.is_terminal)
    _heading(out, f'Instructions, when the skill is loaded: {token_text(view.instructions)}')
    if out.is_terminal:
        out.print(Markdown(printable(view.instructions)))
    else:
        out.print(Text(printable(view.instructions)), soft_wrap=True)
    if view.files:
        _heading(out, 'Files, and how the model calls them')
        _print_tree(out, view)
    if view.problems:
        _heading(out, 'Problems')
        for item in view.problems:
            print_problem(out, item)


def print_problem(out: Console, item: SkillDiagnostic) -> None:
    """One finding: severity, code, message and hint on a line."""
    style = {'error': 'bold red', 'warning': 'yellow', 'info': 'dim'}[item.severity]
    line = Text(item.severity, style=style).append(f' {item.code}: ', style='dim')
    out.print(line.append(one_line(str(item)), style='none'), soft_wrap=True)


def _heading(out: Console, title: str) -> None:
    if out.is_terminal:
        from rich.rule import Rule

        out.print(Rule(Text(one_line(title), style='bold'), align='left', style='dim'))
    else:
        out.print(f'== {one_line(title)}', markup=False)


def _value_text(value: object) -> str:
    if isinstance(value, dict):
        fields = cast('dict[str, object]', value)
        return ', '.join(f'{one_line(key)}: {_value_text(inner)}' for key, inner in fields.items())
    if isinstance(value, list):
        return ', '.join(_value_text(inner) for inner in cast('list[object]', value))
    return printable(str(value)).strip()


def _print_tree(out: Console, view: SkillView) -> None:
    from rich.tree import Tree

    tree = Tree(Text(f'{view.name}/', style='bold'), guide_style='dim')
    branches: dict[str, Tree] = {'': tree}
    for file in view.files:
        folder, _, base = file.name.rpartition('/')
        branch = _branch(branches, folder)
        branch.add(_file_text(base, file))
    show_whole(out, tree)


def _branch(branches: dict[str, Tree], folder: str) -> Tree:
    if folder not in branches:
        parent, _, base = folder.rpartition('/')
        branches[folder] = _branch(branches, parent).add(Text(f'{one_line(base)}/'))
    return branches[folder]


def _file_text(base: str, file: FileView) -> Text:
    text = Text(one_line(base)).append(f'  {file.kind}, {file.size_text}', style='dim')
    for call in file.calls:
        text.append(f'\n{one_line(call.as_text())}', style='cyan')
    return text
