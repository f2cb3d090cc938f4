"""A call as plain text: its arguments and its observation."""

from __future__ import annotations

import json
from typing import Any, cast

from sandbox_tui.core.events.run_state import CallItem

PRINTED_UNTIL_THEN = "interrupted; it had printed:"
"""Comes before what a call had printed when its program was killed: the model never read it."""


def whole_text(item: CallItem) -> str:
    """Return the arguments in readable form, followed by the observation if there is one."""
    parts = [arguments_text(item)]
    if item.decided is not None and item.decided.verdict == "edit":
        model = readable_arguments(item.call.name, item.call.arguments)
        parts.append(f"(edited by you; the model wrote:)\n{model}")
    if item.finished is not None:
        parts.append(item.finished.observation)
    elif item.printed:
        parts.append(f"{PRINTED_UNTIL_THEN}\n{item.printed}")
    return "\n\n".join(part for part in parts if part)


def arguments_text(item: CallItem) -> str:
    """Return the call's arguments in readable form."""
    return readable_arguments(item.call.name, item.arguments)


def readable_arguments(name: str, arguments: str) -> str:
    """Return a tool's arguments, given as JSON text, in readable form."""
    try:
        parsed: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments
    if not isinstance(parsed, dict):
        return arguments
    fields = cast(dict[str, Any], parsed)
    if name == "execute_bash" and set(fields) == {"command"}:
        return f"$ {fields['command']}"
    return "\n".join(_field(name, value) for name, value in fields.items())


def _field(name: str, value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{name}:\n{text}" if "\n" in text else f"{name}: {text}"
