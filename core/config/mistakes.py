"""Finds every mistake in the tables of a config file, each with its line."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.expected_values import (
    describe_error,
    describe_unknown_key,
    describe_wrong_value,
)
from sandbox_tui.core.config.toml_lines import first_line_in, line_of, line_of_item
from sandbox_tui.core.config.valid_values import VARIABLE, refuse_unusable_value
from sandbox_tui.core.policy.rules import Rule, rule_problem

_RULES = "policy.rules"

_ADDRESS = "model", "base_url"
"""May be unusable: other programs set it too (`OPENAI_BASE_URL`), and a run that needs it says
so."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in the settings.

    Attributes:
        line: in the config file; 0 if it is not there.
        words: a sentence.
        source: what set the value instead of the file, such as an environment variable; or empty.
    """

    line: int
    words: str
    source: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}" if self.line else self.source
        return f"{place}: {self.words}" if place else self.words


class SettingsError(ConfigError):
    """Settings that cannot be used, with all their mistakes.

    Attributes:
        mistakes: at least one, by line; those outside the file come last.
        path: of the config file.
        short: the first of them, how many more there are, and what lists them.
    """

    def __init__(self, path: Path, mistakes: Sequence[Mistake]) -> None:
        self.path = path
        self.mistakes = tuple(sorted(mistakes, key=lambda one: one.line or math.inf))
        first, *others = self.mistakes
        source = (
            f"Settings (file {path})" if any(not one.source for one in mistakes) else "Settings"
        )
        more = f" And {len(others)} more: `sandbox-tui config` lists them." if others else ""
        self.short = f"{source}: {first}{more}"
        listed = "".join(f"\n  {one}" for one in self.mistakes)
        head = f"{source}, {len(self.mistakes)} mistakes:"
        super().__init__(f"{head}{listed}" if others else self.short)


def find_mistakes(
    tables: Mapping[str, Any],
    kind: type[msgspec.Struct],
    text: str,
    set_elsewhere: Mapping[str, str],
    tools: Collection[str] = (),
) -> list[Mistake]:
    """Return all mistakes in settings.

    Args:
        tables: the settings, as read.
        kind: the type of all settings.
        text: of the config file.
        set_elsewhere: by dotted name, what set a value instead of the file, such as an environment
            variable.
        tools: names of tools besides the known ones, for the rules of the policy.
    """
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    found: list[Mistake] = []
    for name, table in tables.items():
        if name not in fields:
            words = describe_unknown_key(name, tuple(fields))
            found.append(Mistake(first_line_in(text, name), words))
        elif not isinstance(table, dict):
            words = f"{name} must be a table, as in [{name}], not {table!r}."
            found.append(Mistake(line_of(text, name), words))
        elif isinstance(fields[name], type):
            values = cast(dict[str, Any], table)
            for key, value in values.items():
                if (name, key) == ("policy", "rules") and isinstance(value, list):
                    found += _in_rules(cast(list[Any], value), text, kind, tools)
                elif words := _problem(name, key, value, kind, fields[name]):
                    source = set_elsewhere.get(f"{name}.{key}", "")
                    line = 0 if source else line_of(text, name, key)
                    line = line or (0 if source else first_line_in(text, f"{name}.{key}"))
                    found.append(Mistake(line, words, source))
    return found


def _problem(
    section: str, key: str, value: Any, kind: type[msgspec.Struct], table: type[msgspec.Struct]
) -> str:
    """Return what is wrong with one value; empty if nothing is."""
    if key not in table.__struct_fields__:
        return describe_unknown_key(f"{section}.{key}", table.__struct_fields__)
    tables = {section: {key: value}}
    try:
        settings = msgspec.convert(tables, kind)
    except msgspec.ValidationError as error:
        return describe_error(str(error), {section: table}, tables)
    if (section, key) != _ADDRESS:
        try:
            refuse_unusable_value(f"{section}.{key}", getattr(getattr(settings, section), key))
        except ConfigError as error:
            return str(error)
    if (section, key) == ("model", "api_key_env") and not VARIABLE.fullmatch(value):
        return (
            "model.api_key_env is the name of an environment variable that holds the key, not the "
            "key itself."
        )
    return ""


def _in_rules(
    rules: Sequence[Any], text: str, kind: type[msgspec.Struct], tools: Collection[str]
) -> Iterator[Mistake]:
    for number, rule in enumerate(rules, 1):
        key, words = _problem_of_rule(rule, kind, tools)
        if words:
            line = line_of_item(text, _RULES, number, key) or line_of(text, *_RULES.split("."))
            yield Mistake(line, f"policy rule {number}: {words}")


def _problem_of_rule(
    rule: Any, kind: type[msgspec.Struct], tools: Collection[str]
) -> tuple[str, str]:
    """Return the key and what is wrong with a rule; empty if nothing is."""
    unknown = [key for key in rule if key not in Rule.__struct_fields__] if _is_table(rule) else []
    if unknown:
        return unknown[0], describe_unknown_key(unknown[0], Rule.__struct_fields__)
    try:
        msgspec.convert({"policy": {"rules": [rule]}}, kind)
    except msgspec.ValidationError as error:
        words, _, place = str(error).partition(" - at ")
        key = match[1] if (match := re.search(r"rules\[\d+\]\.(\w+)", place)) else ""
        types = {field.name: field.type for field in msgspec.structs.fields(Rule)}
        if key in types and _is_table(rule):
            return key, describe_wrong_value(key, types[key], rule[key])
        return key, f"{words}."
    return "", rule_problem(msgspec.convert(rule, Rule), tools) or ""


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)
