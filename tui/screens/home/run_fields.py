"""The fields of the form for new runs that correspond to settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.models.factory import is_server_address
from sandbox_tui.tui.format.setting_text import setting_of_text, text_of_setting

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

TEXTS = frozenset({"model", "url", "output", "prompts"})
"""Fields whose text is used literally as the value."""


class Problem(NamedTuple):
    """Why a run cannot be started yet.

    Attributes:
        field: the field to correct.
        words: what to do there.
    """

    field: str
    words: str


class FieldProblem(Exception):
    """A field contains no valid value for its setting.

    Attributes:
        problem: the field, and what to do.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.words)
        self.problem = problem


def texts_of(settings: Settings) -> dict[str, str]:
    """Return the texts of the fields for these settings."""
    return {field: text_of_setting(settings, name) for field, name in SETTINGS.items()}


def changes_of(typed: Mapping[str, str], before: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that were changed in the form, by dotted name.

    Args:
        typed: the text of each field.
        before: the texts when the form was opened.

    Raises:
        FieldProblem: a text is not a valid value for its setting.
    """
    changes: dict[str, Any] = {}
    for field, name in SETTINGS.items():
        text = typed[field].strip()
        if text == before[field].strip():
            continue
        if field == "url" and text and not is_server_address(text):
            raise FieldProblem(Problem(field, "Begin with http:// or https://."))
        try:
            changes[name] = text if field in TEXTS else setting_of_text(name, text)
        except ConfigError as error:
            raise FieldProblem(Problem(field, _words(error, name))) from error
    return changes


def _words(error: ConfigError, name: str) -> str:
    """Return the error message without the setting's name, which is in the field's border."""
    return str(error).removeprefix(f"{name} ").partition(", not ")[0].rstrip(".")
