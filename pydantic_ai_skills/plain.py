"""What a Python function returned, as something that can be sent to a model, stored with a conversation, or recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.messages import ToolReturn, is_multi_modal_content
from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from .encoding import encodable


def sendable(value: Any) -> Any:
    """`value` itself where a request can hold it, as it is for any tool; else `plain(value)`."""
    if isinstance(value, str):
        return encodable(value)
    try:
        to_json(value, bytes_mode='base64')
    except (PydanticSerializationError, ValueError, RecursionError):
        return plain(value)
    return value


def plain(value: Any) -> Any:
    """`value` as JSON has it, with images and the like kept, and a representation of what JSON does not know.

    The framework's `ToolReturn` stays one, with plain parts.
    """
    try:
        return _plain(value)
    except (ValueError, RecursionError):  # it contains itself
        return encodable(repr(value))


def _plain(value: Any) -> Any:
    if value is None or type(value) in (bool, int, float) or is_multi_modal_content(value):
        return value
    if isinstance(value, str):
        return encodable(str(value))
    if isinstance(value, ToolReturn):
        whole = cast('ToolReturn[Any]', value)
        return replace(whole, return_value=_plain(whole.return_value), metadata=_plain(whole.metadata))
    if isinstance(value, Mapping):
        return {encodable(str(key)): _plain(item) for key, item in cast('Mapping[Any, Any]', value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in cast('list[Any]', value)]
    return _plain(to_jsonable_python(value, bytes_mode='base64', fallback=repr))
