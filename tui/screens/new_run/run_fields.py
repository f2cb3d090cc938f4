"""The fields of the form for new runs that correspond to settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.core.config.model_names import without_empty_names
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.tui.format.setting_text import (
    mistake_of_setting,
    setting_of_text,
    text_of_setting,
)

SETTINGS = {
    "model": "model.name",
    "url": "model.base_url",
    "steps": "limits.max_steps",
    "kind": "sandbox.kind",
    "mode": "agent.mode",
    "calls": "model.tool_calls",
    "output": "agent.output",
    "prompts": "agent.prompts",
    "network": "sandbox.network",
    "tty": "agent.tty",
    "policy": "policy.default",
    "temperature": "model.temperature",
    "tokens": "limits.token_limit",
    "time": "limits.time_limit",
    "cost": "limits.cost_limit",
}
"""The setting of each field."""

TITLES = {
    "task": "task",
    "model": "model",
    "url": "server",
    "input": "input, optional",
    "steps": "max steps",
    "samples": "samples",
    "kind": "sandbox",
    "mode": "mode",
    "calls": "tool calls",
    "output": "output folder",
    "prompts": "prompts",
    "seed": "seed, optional",
    "network": "network",
    "tty": "commands on a terminal",
    "policy": "calls without a rule",
    "temperature": "temperature",
    "tokens": "max tokens",
    "time": "max time",
    "cost": "max US dollars",
}
"""The title of each field, in the order in which they appear."""

NUMBERS = frozenset({"steps", "samples", "seed", "temperature", "tokens", "time", "cost"})
"""Fields in which a mistake is shown while it is typed."""

ONLY_ONE = "the only one found"
"""The note at a model that the form has taken by itself."""

ONE_DEFAULT = "Only one model can be the default."

ONE_SERVER = "The models of one form run on one server: this one is on another."

TASK_HINT = "a line of --- starts another task"

SEVERAL_NAMES = "name, or several: a, b"

OTHER_HINTS = {
    "": " ",
    "task": "what the model has to do",
    "model": "the name as its server knows it; several, separated by commas, run side by side",
    "input": "a file or folder of this machine, copied into the sandbox; tab completes its path",
    "samples": "how often to run each task, at the same time",
    "seed": "sent with the first request; later steps and samples count up from it",
}
"""What the fields mean that are not settings; the others have the hints of their settings."""

SEED_NEEDED = "Must be a whole number."

_WHOLE = re.compile(r"-?\d{1,18}")

TEXTS = frozenset({"model", "url", "output", "prompts"})
"""Fields whose text is used literally as the value."""


DEFAULT_IF_EMPTY = frozenset({"output", "prompts"})
"""Fields of `TEXTS` that stand for what the form began with if they are empty."""


def texts_of(settings: Settings) -> dict[str, str]:
    """Return the texts of the fields for these settings."""
    return {field: text_of_setting(settings, name) for field, name in SETTINGS.items()}


def mistake_in(field: str, text: str) -> str:
    """Return why a text is no value of the field's setting; empty if it is one."""
    if field == "url":
        return mistake_of_setting("model.base_url", text)
    if field == "seed":
        return SEED_NEEDED if text and not _WHOLE.fullmatch(text) else ""
    if field in DEFAULT_IF_EMPTY and not text:
        return ""
    if field == "steps" and not text:  # all others may be empty
        text = "0"
    return "" if field in ("model", "prompts") else mistake_of_setting(SETTINGS[field], text)


def mistakes_in(typed: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with the texts, by field."""
    found = {field: mistake_in(field, typed[field].strip()) for field in SETTINGS}
    return {field: words for field, words in found.items() if words}


def with_fields(request: RunRequest, typed: Mapping[str, str]) -> RunRequest:
    """Return the request with what the fields say that are no settings; they have no mistakes."""
    seed, path = typed["seed"].strip(), typed["input"].strip()
    return replace(
        request,
        mode=cast(Mode, typed["mode"]),
        seed=int(seed) if seed else None,
        input=typed_path(path) if path else None,
    )


def saved_titles(changes: Mapping[str, object]) -> str:
    """Return the titles of the fields of these settings, in the order of the form.

    Args:
        changes: settings by dotted name.
    """
    return ", ".join(TITLES[field] for field in TITLES if SETTINGS.get(field) in changes)


def changes_of(typed: Mapping[str, str], before: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that were changed in the form, by dotted name.

    Args:
        typed: the text of each field, without mistakes.
        before: the texts when the form was opened.
    """
    changes: dict[str, Any] = {}
    for field, name in SETTINGS.items():
        text = typed[field].strip()
        if not text and field in DEFAULT_IF_EMPTY:
            continue
        if field == "model":
            text = without_empty_names(text)
        if text != before[field].strip():
            changes[name] = text if field in TEXTS else setting_of_text(name, text)
    return changes
