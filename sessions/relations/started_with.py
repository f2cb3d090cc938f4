"""What a run was started with, in words: its settings, and how those of two runs differ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sandbox_tui.core.config.quantities import quantity_text
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.sessions.store.store import Store

NONE = "none"
"""Stands for a setting without a value, such as no seed."""

_PARAMETERS = {
    "base_url": "server",
    "temperature": "temperature",
    "tool_calls": "tool calls",
    "extra_body": "extra body",
}
_LIMITS = {
    "max_steps": "max steps",
    "max_tokens": "max tokens",
    "token_limit": "token limit",
    "time_limit": "time limit",
    "cost_limit": "cost limit",
    "command_timeout": "command timeout",
    "repeated_calls": "repeated calls",
    "max_attempts": "attempts",
}
_SANDBOX = ("network", "image", "memory", "cpus", "pids", e.SNAPSHOTS)


_VERBS = {"ask": "asks", "allow": "allows", "deny": "denies"}
"""What a policy does, by its default."""


class SettingPair(NamedTuple):
    """A setting that two runs were started with, by its values in words."""

    name: str
    left: str
    right: str


def started_with(store: Store, run_id: str) -> dict[str, str]:
    """Return what a run was started with, by name; what it did not record is left out.

    Raises:
        StoreError: the database cannot be read.
    """
    first = store.events_at(run_id, [1]).get(1)
    return settings_of(first) if isinstance(first, e.RunStarted) else {}


def settings_of(started: e.RunStarted) -> dict[str, str]:
    """Return what the first event of a run says about its settings, by name."""
    recorded = started.settings
    if recorded is None:
        return {}
    limits = {
        words: quantity_text(f"limits.{name}", getattr(started.limits, name))
        for name, words in _LIMITS.items()
    }
    labels = {k: v for k, v in recorded.labels.items() if k not in (SAMPLE, SAMPLES)}
    found: dict[str, Any] = {
        **_named(started.model_params, _PARAMETERS),
        "seed": recorded.seed,
        "mode": recorded.mode,
        "policy": _policy_words(recorded.policy),
        "prompts": started.prompt_pack,
        "tools": None if recorded.tools is None else ", ".join(recorded.tools),
        **limits,
        **{
            name: quantity_text(f"sandbox.{name}", recorded.sandbox[name])
            for name in _SANDBOX
            if name in recorded.sandbox
        },
        "tty": recorded.tty,
        "input": recorded.input,
        "labels": ", ".join(f"{key}={value}" for key, value in labels.items()),
    }
    return {name: _words(value) for name, value in found.items()}


def differing_settings(
    left: Mapping[str, str], right: Mapping[str, str], *, forked: bool
) -> list[SettingPair]:
    """Return the settings that both runs recorded, with different values. Labels name a run, and
    have no effect on it.

    Args:
        left, right: from `started_with`.
        forked: whether one is a fork of the other, which has its parent's input without a record.
    """
    left_out = ("labels", "input") if forked else ("labels",)
    return [
        SettingPair(name, value, right[name])
        for name, value in left.items()
        if name in right and value != right[name] and name not in left_out
    ]


def _policy_words(policy: Mapping[str, Any]) -> str | dict[str, Any]:
    """Return what a policy does with calls that no rule matches, and its rules in full: these may
    be all that tells two runs apart."""
    if not set(policy) <= {"default", "rules"} or "default" not in policy:
        return dict(policy)
    rules = policy.get("rules") or ()
    listed = json.dumps(rules, ensure_ascii=False, sort_keys=True) if rules else "no rules"
    return f"{_VERBS.get(policy['default'], policy['default'])} · {listed}"


def _named(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {words: values[name] for name, words in names.items() if name in values}


def _words(value: object) -> str:
    match value:
        case None | "":
            return NONE
        case bool():
            return "yes" if value else "no"
        case dict():
            return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else NONE
        case float():
            return f"{value:g}"
        case _:
            return str(value)
