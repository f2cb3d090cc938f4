"""Settings as text that the user reads and types, and the words about mistakes in it, about where a
value comes from, and about when a changed one takes effect."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import shorten
from typing import Any, cast

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import mistake_of_folder, typed_path
from sandbox_tui.core.config.quantities import quantity_text
from sandbox_tui.core.config.setting_sources import COMMAND_LINE, DEFAULT
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.config.toml_file import value_from_text
from sandbox_tui.core.config.valid_values import (
    LAST_PORT,
    VARIABLE,
    has_wrong_port,
    is_server_address,
    with_scheme,
)

YES_NO = ("yes", "no")

HINTS = {
    "keys": (
        "set in [keys] of the settings file, or with `sandbox-tui config set keys.live.approve f7`"
    ),
    "ui.theme": "previewed as you choose",
    "ui.animations": "motion on the screen",
    "ui.images": (
        "how pictures are drawn; auto asks the terminal, blocks works everywhere, none draws none"
    ),
    "ui.terminal_engine": (
        "emulator of live terminals; own is built in, native (sandbox-tui[native]) is faster for "
        "floods of output and uses more memory"
    ),
    "ui.notify": "where the terminal supports it",
    "ui.title": "shows the state of the run",
    "model.name": "the name as its server knows it",
    "model.base_url": "URL of the server, which usually ends in /v1; empty for OpenAI",
    "model.api_key_env": ("environment variable with the API key; the key itself is never saved"),
    "model.context_length": "tokens that fit into its context; empty: what the server reports",
    "model.request_timeout": "seconds, or such as 20m, for a whole reply",
    "model.stall_timeout": "seconds, or such as 5m, without a byte; after them a request fails",
    "model.local_ports": (
        "ports where this machine is searched for servers; several are separated by commas"
    ),
    "model.tool_calls": (
        "auto: what works with the model; native: in the fields of the API, json_schema: as JSON "
        "that the server enforces, text: inside the reply"
    ),
    "model.temperature": "sampling temperature; empty for the server's default",
    "sandbox.kind": (
        "auto: docker if it answers and has the image, else bubblewrap, which needs none and runs "
        "on this machine's own files, read-only"
    ),
    "sandbox.image": "for docker",
    "sandbox.memory": "bytes, or such as 512m or 2g; empty for 2 GiB",
    "sandbox.cpus": "number of CPUs; empty for all",
    "sandbox.pids": "at most, in one sandbox",
    "sandbox.grace": (
        "seconds, or such as 5m, that a sandbox outlives its killed program; until then the run "
        "can be resumed"
    ),
    "sandbox.snapshots": (
        "of the files, to fork from; auto: from time to time after changes, every: after each step"
    ),
    "sandbox.snapshots_kept": "snapshots of one run; the oldest are deleted first",
    "sandbox.snapshots_bytes": "bytes, or such as 4g, of all snapshots of one run",
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
    "agent.observation_lines": "lines of one result that the model sees; the middle is left out",
    "agent.observation_chars": "characters of one result that the model sees",
    "policy.default": (
        "calls that no rule of the policy matches; in mode ask they run (allow), wait for your "
        "approval (ask) or are refused (deny)"
    ),
    "limits.max_steps": "steps per run; a step is one reply of the model, with its calls",
    "limits.max_tokens": "tokens of one reply; empty for no limit",
    "limits.token_limit": "per conversation; empty for no limit",
    "limits.time_limit": "seconds per run, or such as 30m or 2h; empty for no limit",
    "limits.cost_limit": "US dollars per run; empty for no limit",
    "limits.command_timeout": "seconds, or such as 5m",
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
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in cast(tuple[object, ...], value))
    value = quantity_text(name, value)
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def setting_of_text(name: str, text: str) -> Any:
    """Parse what the user typed as the setting's value; empty text unsets it.

    Raises:
        ConfigError: the text is not a valid value.
    """
    return value_from_text(name, text) if text else None


SERVER_NEEDED = "Begin with http:// or https://."
PORT_NEEDED = f"The port must be from 1 to {LAST_PORT}."
VARIABLE_NEEDED = "Enter the variable's name, not the key."
MODEL_NEEDED = "Enter a model's name."

_MUST_BE = "Must be "

_KEY_NEEDED = re.compile(r"Enter a URL, or set \w+\.")

_NO_PACK = "There is no prompt pack "

_NO_FOLDER = "Directory "

_NOT_IN_USE = "Not in use: "

_BETWEEN = re.compile(r"(a whole number )?from (\d+) to (\d+)")


def mistake_of_setting(name: str, text: str) -> str:
    """Return why a text is no value of a setting, such as `Must be a number.`; else empty."""
    if name == "model.base_url":
        return mistake_of_server(text)
    if name == "model.api_key_env" and not VARIABLE.fullmatch(text or "X"):
        return VARIABLE_NEEDED
    if name == "agent.output":
        return sanitize_line(mistake_of_folder(typed_path(text)))
    try:
        setting_of_text(name, text)
        if name == "agent.prompts":
            from sandbox_tui.core.prompts import load_pack

            load_pack(text)
    except ConfigError as error:
        words = str(error).removeprefix(f"{name} ").partition(", not ")[0].rstrip(".")
        return sanitize_line(f"{words[:1].upper()}{words[1:].removesuffix(', or none')}.")
    return ""


def mistake_of_server(text: str) -> str:
    """Return why a text is no address of a server; empty if it is one, or is empty."""
    if not text or is_server_address(with_scheme(text)):
        return ""
    return PORT_NEEDED if has_wrong_port(text) else SERVER_NEEDED


def mistake_of_theme(why: str) -> str:
    """Return that a theme is not in use, for this reason; empty without one."""
    return f"{_NOT_IN_USE}{why}." if why else ""


def mistake_of_count(text: str, most: int | None = None) -> str:
    """Return why a text is no whole number from 1 to `most`; empty if it is one."""
    if text.isdecimal() and 1 <= int(text) <= (most or int(text)):
        return ""
    return f"{_MUST_BE}a whole number from 1{f' to {most}' if most else ''}."


def shortened(mistake: str) -> str:
    """Return a mistake in as few words as a narrow field has room for."""
    short = mistake.removeprefix(_MUST_BE)
    return mistake if short == mistake else short.rstrip(".")


_LONG = 40
"""Characters from which a mistake without shorter words is only said below the fields."""

_SHORTER: dict[str, tuple[str, ...]] = {
    "a whole number": ("digits only", "digits"),
    "a whole number from 1": ("whole, from 1", "from 1"),
    "more than 0": ("above 0",),
    "This path does not exist.": ("does not exist", "not found"),
    MODEL_NEEDED: ("a model's name", "a name"),
    SERVER_NEEDED: ("http:// or https://", "http://…"),
    PORT_NEEDED: (f"port 1 to {LAST_PORT}", "wrong port"),
}
"""Fewer words for a mistake, the longer ones first."""


def fitted_mistake(mistake: str, room: int) -> str:
    """Return a mistake in words that fit this many columns, if there are any."""
    short = shortened(mistake)
    shorter = _shorter(short)
    return next((words for words in (short, *shorter) if len(words) <= room), [short, *shorter][-1])


def _shorter(short: str) -> tuple[str, ...]:
    if between := _BETWEEN.fullmatch(short):
        fewest = f"{between[2]}-{between[3]}"
        return (f"whole, {between[2]} to {between[3]}", fewest) if between[1] else (fewest,)
    if _KEY_NEEDED.fullmatch(short):
        return ("needs a URL or key", "a URL or key")
    if short.startswith(_NOT_IN_USE):
        return ("not in use",)
    if short.startswith(_NO_PACK):
        return ("no such prompt pack", "no such pack", "not found")
    if short.startswith(_NO_FOLDER):
        return ("is a file",) if short.endswith(" is a file.") else ("not writable",)
    return _SHORTER.get(short, ("see below",) if len(short) > _LONG else ())


def counted_mistakes(number: int) -> str:
    """Return how many fields are wrong; empty for none."""
    if not number:
        return ""
    return "1 field needs attention" if number == 1 else f"{number} fields need attention"


CHANGED = "changed"
"""The source of a value that was typed or chosen and is not saved yet."""

AT_ONCE = "at once"
NEW_RUNS = "for new runs"
AT_RESTART = "after a restart"

_AT_RESTART = frozenset({"ui.terminal_engine", "ui.images"})
_WORDS = {
    AT_ONCE: ("applies now", "apply now"),
    NEW_RUNS: ("applies to new runs", "apply to new runs"),
    AT_RESTART: ("needs a restart of the program", "need a restart of the program"),
}
_MOST_NAMES = 3
"""Names that are listed; of more, the number is said."""


def effect_of(name: str) -> str:
    """Return when a setting, given by its dotted name, takes effect after it was changed."""
    if name in _AT_RESTART:
        return AT_RESTART
    return AT_ONCE if name.startswith(("ui.", "keys")) else NEW_RUNS


def effects(names: Iterable[str]) -> str:
    """Say when changed settings take effect, such as `ui.theme applies now`."""
    by_effect: dict[str, list[str]] = {}
    for name in names:
        by_effect.setdefault(effect_of(name), []).append(name)
    return "; ".join(
        f"{_named(by_effect[effect])} {_verb(effect, by_effect[effect])}"
        for effect in _WORDS
        if effect in by_effect
    )


def facts_of_setting(name: str, source: str, before: str, default: str) -> str:
    """Say where a value comes from, what the default is, and when a change takes effect.

    Args:
        name: dotted name of the setting.
        source: where the value comes from, as `sources_of` says it, or `CHANGED`.
        before: the value before it was changed.
        default: the default value.
    """
    usual = f"default: {default or 'none'}"
    change = f"a change applies {effect_of(name)}"
    match source:
        case _ if source == DEFAULT:
            words = "the default"
        case _ if source == CHANGED:
            words = f"not saved, was {before or 'none'} · {usual}"
        case _ if source == COMMAND_LINE:
            words = f"from the command line, for this start only · {usual}"
        case _ if source.startswith("$"):
            words = f"from {source}, at each start"
            change += ", until the program ends"
        case _:
            words = f"from {source} · {usual}"
    return f"{words} · {change}"


def _named(names: list[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f"{len(names)} settings"
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _verb(effect: str, names: list[str]) -> str:
    one, several = _WORDS[effect]
    return one if len(names) == 1 and names != ["keys"] else several


def with_meaning(source: str, meaning: str, room: int) -> str:
    """Return where a value comes from, and what it means if that fits; of a default, the words that
    fit. The line below always says it."""
    whole = f"{source} · {meaning}"
    if not len(whole) > room > 0:
        return whole
    return source if source != DEFAULT else shorten(whole, room, placeholder="…")
