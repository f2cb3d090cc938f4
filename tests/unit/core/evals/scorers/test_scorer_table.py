"""The table of scorers: every entry loads, options are checked, custom scorers are found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals import optional_packages
from sandbox_tui.core.evals.scorers.base import Attempt, Score
from sandbox_tui.core.evals.scorers.table import SCORERS, SCORES, scorer_named

REQUIRED: dict[str, dict[str, Any]] = {
    "command": {"command": "true"},
    "judge": {"model": "m", "base_url": "http://127.0.0.1:9/v1"},
    "reference_reward": {"source": ""},
}


@dataclass
class Own:
    """A custom scorer."""

    value: float = 1.0
    name: str = field(default="own", init=False)

    async def score(self, attempt: Attempt) -> Score:
        return Score(value=self.value)


class Bare:
    """Not a dataclass."""


EXTRAS = {
    "ifbench": "ifbench",
    "math_verify": "evals",
    "pretrain": "evals",
    "rouge": "evals",
    "swe_bench": "swebench",
}


def with_packages(_package: str) -> object:
    return "found"


def without_packages(_package: str) -> None:
    return None


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_a_missing_extra_is_named_before_anything_runs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optional_packages, "find_spec", without_packages)
    monkeypatch.delenv("IFBENCH_PATH", raising=False)
    if name in EXTRAS:
        with pytest.raises(ConfigError, match=rf"pip install 'sandbox-tui\[{EXTRAS[name]}\]'"):
            scorer_named(name, REQUIRED.get(name))
    else:
        assert scorer_named(name, REQUIRED.get(name)).name == name


def test_a_clone_of_ifbench_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional_packages, "find_spec", without_packages)
    monkeypatch.setenv("IFBENCH_PATH", "/somewhere")
    assert scorer_named("ifbench").name == "ifbench"


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_every_scorer_loads_under_its_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional_packages, "find_spec", with_packages)
    assert scorer_named(name, REQUIRED.get(name)).name == name


def test_a_custom_scorer() -> None:
    own: Any = scorer_named(f"{__name__}:Own", {"value": 0.5})
    assert own.value == 0.5


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("nope", {}, "no scorer 'nope'. Known scorers:"),
        ("no_such_package.scorers:Own", {}, "cannot be loaded: No module named"),
        (f"{__name__}:Nope", {}, "cannot be loaded"),
        (f"{__name__}:Bare", {}, "is not a dataclass"),
        ("choice", {"leters": "AB"}, "scorer_options.choice.leters: the scorer choice has no"),
        ("choice", {"letters": 3}, "scorer_options.choice.letters must be text, not 3."),
        (
            "judge",
            {"model": "m", "by": "luck"},
            "scorer_options.judge.by must be one of mean or majority, not 'luck'.",
        ),
        (
            "command",
            {},
            "scorer_options.command.command is missing, which the scorer command needs: write it "
            'in the suite file, as in scorer_options: {"command": {command: VALUE}}; its value is '
            "text.",
        ),
        ("choice", {"name": "x"}, "has no such setting"),
    ],
)
def test_errors_are_reported(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scorer_named(name, options)
    assert words in str(caught.value)


def test_the_list_describes_every_scorer() -> None:
    assert list(SCORES) == sorted(SCORERS)


def test_the_closest_scorer_is_suggested() -> None:
    with pytest.raises(ConfigError, match=r"no scorer 'exact_match'. Did you mean 'exact'\? Known"):
        scorer_named("exact_match")
