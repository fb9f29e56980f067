"""Why a script was not run, as a sentence for the model."""

from __future__ import annotations


class CannotRunError(Exception):
    """The script cannot be run where it should; the message is the answer that the model gets.

    Never leaves an executor: a script that is gone, or whose interpreter is missing, must not end an agent's run.
    """
