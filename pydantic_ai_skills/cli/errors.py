"""What goes wrong in a command, as one sentence and an exit code."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from .console import error_console, printable

FINDINGS = 1
"""Exit code: the command did its work and found something, or something outside it failed."""

WRONG_USE = 2
"""Exit code: the command cannot do what was asked, whatever is tried again."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


class WrongUseError(Exception):
    """The command was called with something that cannot work; the message is one sentence with the way out."""


class ErrorsInOneSentence(TyperGroup):
    """Ends a failed command with a sentence and an exit code; `--debug`, anywhere in the line, with a traceback."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help on one screen of 24 lines."""
        options: list[Any] = list(self.get_params(ctx))
        for option in options:
            if option.name == 'show_completion':  # for scripts
                option.hidden = True
        super().format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take `--debug` from wherever it stands before `--`."""
        end = args.index('--') if '--' in args else len(args)
        if '--debug' in args[1:end]:
            args = ['--debug', *(arg for arg in args[:end] if arg != '--debug'), *args[end:]]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command.

        Raises:
            typer.Exit: it failed, or was interrupted.
        """
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            raise  # whoever reads the output has seen enough; Typer ends quietly
        except Exception as error:
            if type(error).__module__.partition('.')[0] == 'typer':
                raise  # wrong options and exits have their own form
            if ctx.params.get('debug'):
                raise
            show_error(sentence(error))
            raise typer.Exit(exit_code(error)) from None


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
    """A warning as a note, without the line of code that gave it."""
    note(f'{message}' if issubclass(category, UserWarning) else f'{category.__name__}: {message}')


def show_error(text: str) -> None:
    """Say what is wrong, on standard error."""
    error_console().print(f'Error: {printable(text)}', style='red', markup=False, highlight=False, soft_wrap=True)


def exit_code(error: Exception) -> int:
    """The exit code for an error: wrong use for what the library calls a wrong value, findings for all else."""
    return (
        WRONG_USE
        if isinstance(error, (WrongUseError, ValueError, TypeError, NotImplementedError, ImportError))
        else FINDINGS
    )


def sentence(error: Exception) -> str:
    """What is wrong, in one sentence; what nobody expected is named so, with how to learn more."""
    if isinstance(error, (WrongUseError, ValueError, RuntimeError, ImportError)) and str(error):
        return str(error)
    if isinstance(error, OSError):
        where = f' {error.filename}' if error.filename else ''
        return f'{error.strerror or error}{":" if where else ""}{where}'
    return f'{type(error).__name__}: {error} (more with --debug)'


def naming(error: OSError, path: Path) -> OSError:
    """The error with the path that the work was about, where it names none, as a full disk does not."""
    return error if error.filename else OSError(error.errno, error.strerror, str(path))


def note(text: str) -> None:
    """Say something beside the command's output, on standard error."""
    error_console().print(printable(text), style='yellow', markup=False, highlight=False, soft_wrap=True)


def is_interactive() -> bool:
    """Whether a person sees standard error as it is written."""
    return sys.stderr.isatty()
