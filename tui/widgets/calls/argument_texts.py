"""The arguments of a call as texts to edit, and the texts as arguments."""

from __future__ import annotations

import json
from typing import Any, cast

from sandbox_tui.core.base.sanitize import sanitize

LABELS = {
    "file_text": "content of the file",
    "old_str": "text to replace",
    "new_str": "new text",
    "insert_line": "after line",
}
"""Labels of the editor's arguments, if the names are not clear."""


def argument_fields(arguments: str) -> dict[str, Any]:
    """Return the arguments by name; empty if they are not a JSON object."""
    try:
        value: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def pretty_arguments(arguments: str) -> str:
    """Pretty-printed JSON; characters that must not reach a terminal stay escaped."""
    try:
        return json.dumps(json.loads(arguments or "{}"), indent=2)
    except (ValueError, RecursionError):
        return sanitize(arguments)


def one_object(text: str) -> str:
    """Return the text, if it is a JSON object.

    Raises:
        ValueError: it is not a JSON object.
    """
    try:
        value: object = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"That is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError("The arguments must be one JSON object.")
    return json.dumps(value, ensure_ascii=False)
