"""Registry of the scorers by name, each a class in its own file."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import re
from collections.abc import Mapping
from typing import Any, get_type_hints

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.expected_values import describe_type, describe_wrong_value
from sandbox_tui.core.evals.scorers.base import Scorer

SCORERS: dict[str, str] = {
    "choice": "paper.choice:Choice",
    "command": "command:Command",
    "exact": "exact:ExactScorer",
    "constraints": "constraints:ConstraintsScorer",
    "hidden_tests": "hidden_tests:HiddenTestsScorer",
    "ifbench": "paper.ifbench:IFBench",
    "judge": "paper.judge:Judge",
    "math_verify": "paper.math_verify:MathVerify",
    "multiple_choice": "paper.multiple_choice:MultipleChoice",
    "number": "number:NumberScorer",
    "pretrain": "paper.pretrain:Pretrain",
    "reference_reward": "reference_reward:ReferenceReward",
    "rouge": "paper.rouge:Rouge",
    "swe_bench": "paper.swe_bench:SweBench",
}
"""Module and class by scorer name in a suite file; imported when a suite uses it."""

SCORES: dict[str, str] = {
    "choice": "one letter",
    "command": "with a command in a fresh sandbox: its exit code, or a number that it prints",
    "constraints": "a text, by checks on its words, lines and letters",
    "exact": "a text that can be written in only one way",
    "hidden_tests": "a program, by calls in a fresh sandbox",
    "ifbench": "whether every instruction is followed",
    "judge": "with the verdicts of a model",
    "math_verify": "a mathematical expression, by value",
    "multiple_choice": "a set of letters",
    "number": "a number with its unit",
    "pretrain": "by domain and kind of question, with one of the others",
    "reference_reward": "with the reward.py of a task folder",
    "rouge": "a longer text, word by word (ROUGE-L)",
    "swe_bench": "a patch, with the tests of SWE-bench in its images",
}
"""What each scorer scores, in a few words."""

NEED_TARGET = frozenset(
    ("choice", "exact", "math_verify", "multiple_choice", "number", "pretrain", "rouge")
)
"""Scorers that compare the answer with the task's target, and fail without one."""

NEED_SANDBOX = frozenset(("command", "hidden_tests", "swe_bench"))
"""Scorers that work in a sandbox: they cannot score an answer alone."""

_MISSING = re.compile(r"missing required field `(.*)`")


def scorer_named(name: str, options: Mapping[str, Any] | None = None) -> Scorer:
    """Create the scorer that a suite names: a built-in one, or `package.module:Class`.

    Args:
        name: scorer name.
        options: settings of the scorer, which are the fields of its dataclass.

    Raises:
        ConfigError: the scorer does not exist, has no such setting, or reports through its
            optional `check_ready` that something is missing, before the first sample runs.
    """
    place = SCORERS.get(name, name)
    module, colon, attribute = place.partition(":")
    if not colon:
        close = difflib.get_close_matches(name, SCORERS, 1)
        meant = f"Did you mean {close[0]!r}? " if close else ""
        raise ConfigError(
            f"There is no scorer {name!r}. {meant}Known scorers: {', '.join(sorted(SCORERS))}; "
            "your own is package.module:Class."
        )
    package = __package__ if name in SCORERS else None
    try:
        kind: Any = getattr(
            importlib.import_module(f".{module}" if package else module, package), attribute
        )
    except (ImportError, AttributeError) as error:
        where = "" if package else " Your own module must be on PYTHONPATH, e.g. PYTHONPATH=. here."
        raise ConfigError(f"The scorer {name} cannot be loaded: {error}.{where}") from error
    return _with_options(kind, name, options or {})


def _with_options(kind: Any, name: str, options: Mapping[str, Any]) -> Scorer:
    if not dataclasses.is_dataclass(kind):
        raise ConfigError(f"The scorer {name} is not a dataclass.")
    known = [field.name for field in dataclasses.fields(kind) if field.init]
    for key in options:
        if key not in known:
            raise ConfigError(
                f"scorer_options.{name}.{key}: the scorer {name} has no such setting. "
                f"It has {', '.join(known) or 'none'}."
            )
    try:
        scorer = msgspec.convert(dict(options), kind)
    except msgspec.ValidationError as error:
        raise ConfigError(_mistake(kind, name, options, str(error))) from error
    if check := getattr(scorer, "check_ready", None):
        check()
    return scorer


def _mistake(kind: Any, name: str, options: Mapping[str, Any], words: str) -> str:
    """Return a sentence that names a setting that is missing or has a wrong value, and what it
    takes.

    Args:
        kind: the dataclass of the scorer.
        name: of the scorer in the suite file.
        options: what the suite file sets.
        words: of msgspec.
    """
    kinds = get_type_hints(kind)
    words, _, place = words.partition(" - at `$")
    if missing := _MISSING.search(words):
        values = describe_type(kinds.get(missing[1]))
        return (
            f"scorer_options.{name}.{missing[1]} is missing, which the scorer {name} needs: write "
            f'it in the suite file, as in scorer_options: {{"{name}": {{{missing[1]}: VALUE}}}}; '
            f"its value is {values}."
        )
    key = place.strip("`").removeprefix(".")
    if key not in kinds:
        return f"scorer_options.{name}{place.strip('`')}: {words}."
    return describe_wrong_value(f"scorer_options.{name}.{key}", kinds[key], options[key])
