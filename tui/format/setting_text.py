"""Settings as text that the user reads and types, and the words about mistakes in it."""

from __future__ import annotations

import re
from typing import Any

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.config.toml_file import value_from_text

YES_NO = ("yes", "no")

HINTS = {
    "ui.theme": "previewed as you choose",
    "ui.animations": "motion on the screen",
    "ui.notify": "where the terminal supports it",
    "ui.title": "shows the state of the run",
    "model.name": "the name as its server knows it",
    "model.base_url": "URL of the server, which usually ends in /v1; empty for OpenAI",
    "model.tool_calls": (
        "auto: what works with the model; native: in the fields of the API, json_schema: as JSON "
        "that the server enforces, text: inside the reply"
    ),
    "model.temperature": "sampling temperature; empty for the server's default",
    "sandbox.kind": (
        "auto: docker if it answers; bubblewrap if it does not, or lacks the image. bubblewrap "
        "needs no image and runs on this machine's own files, read-only"
    ),
    "sandbox.image": "for docker",
    "sandbox.network": (
        "auto: bridge in docker, else none; bridge: access to the internet, none: no network"
    ),
    "agent.mode": (
        "auto: calls run at once; ask: the policy decides which calls need your approval, step: "
        "every call waits for you"
    ),
    "agent.output": "folder on this machine for the results; each run gets a subfolder",
    "agent.prompts": (
        "what the model is told before its task; a built-in pack (general, math, software, …) or "
        "the path of a YAML file"
    ),
    "agent.tty": (
        "each command runs on a terminal of its own; programs then show colours and progress "
        "bars, and you can answer what they ask"
    ),
    "policy.default": (
        "calls that no rule of the policy matches; in mode ask they run (allow), wait for your "
        "approval (ask) or are refused (deny)"
    ),
    "limits.max_steps": "steps per run; a step is one reply of the model, with its calls",
    "limits.token_limit": "per conversation; empty for no limit",
    "limits.time_limit": "seconds per run; empty for no limit",
    "limits.cost_limit": "US dollars per run; empty for no limit",
    "limits.command_timeout": "seconds",
    "limits.repeated_calls": "same call and result in a row",
    "limits.max_attempts": (
        "per reply while the server fails; the pauses between them grow to a minute, so that 40 "
        "tries bridge half an hour"
    ),
}
"""What settings mean. The part before the first semicolon says it in a few words."""


def short_hint(name: str) -> str:
    """Return what a setting means in a few words."""
    return HINTS[name].partition(";")[0]


def text_of_setting(settings: Settings, name: str) -> str:
    """Return a setting by its dotted name; empty if it is unset."""
    section, _, field = name.partition(".")
    value = getattr(getattr(settings, section), field)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def setting_of_text(name: str, text: str) -> Any:
    """Parse what the user typed as the setting's value; empty text unsets it.

    Raises:
        ConfigError: the text is not a valid value.
    """
    if not text:
        return None
    return text == "yes" if text in YES_NO else value_from_text(name, text)


SERVER_NEEDED = "Begin with http:// or https://."
MODEL_NEEDED = "Enter a model's name."

_MUST_BE = "Must be "

_BETWEEN = re.compile(r"from (\d+) to (\d+)")


def mistake_of_setting(name: str, text: str) -> str:
    """Return why a text is no value of a setting, such as `Must be a number.`; else empty."""
    try:
        setting_of_text(name, text)
    except ConfigError as error:
        words = str(error).removeprefix(f"{name} ").partition(", not ")[0].rstrip(".")
        return sanitize_line(f"{words[:1].upper()}{words[1:].removesuffix(', or none')}.")
    return ""


def mistake_of_count(text: str, most: int | None = None) -> str:
    """Return why a text is no whole number from 1 to `most`; empty if it is one."""
    if text.isdecimal() and 1 <= int(text) <= (most or int(text)):
        return ""
    return f"{_MUST_BE}from 1 to {most}." if most else f"{_MUST_BE}a whole number from 1."


def shortened(mistake: str) -> str:
    """Return a mistake in as few words as a narrow field has room for."""
    short = mistake.removeprefix(_MUST_BE)
    return mistake if short == mistake else short.rstrip(".")


_SHORTER: dict[str, tuple[str, ...]] = {
    "a whole number": ("digits only", "digits"),
    "a whole number from 1": ("whole, from 1", "from 1"),
    "more than 0": ("above 0",),
    "This path does not exist.": ("does not exist", "not found"),
    MODEL_NEEDED: ("a model's name", "a name"),
    SERVER_NEEDED: ("http:// or https://", "http://…"),
}
"""Fewer words for a mistake, the longer ones first."""


def fitted_mistake(mistake: str, room: int) -> str:
    """Return a mistake in words that fit this many columns, if there are any."""
    short = shortened(mistake)
    between = _BETWEEN.fullmatch(short)
    shorter = (f"{between[1]}-{between[2]}",) if between else _SHORTER.get(short, ())
    return next((words for words in (short, *shorter) if len(words) <= room), [short, *shorter][-1])


def counted_mistakes(number: int) -> str:
    """Return how many fields are wrong; empty for none."""
    if not number:
        return ""
    return "1 field needs attention" if number == 1 else f"{number} fields need attention"
