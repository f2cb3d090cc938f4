"""`eval run --scorer` with tasks that all name their own scorer."""

from __future__ import annotations

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.tui.cli.evals.checks import check_scorer


def suite(scorer: str) -> Suite:
    tasks = (Task(id="a", problem="?", target="4", scorer=scorer),)
    return Suite(name="sums", tasks=tasks, scorers={"": "foo"}, modes=("vanilla",))


def test_one_that_does_not_exist_is_refused_even_if_no_task_needs_it() -> None:
    with pytest.raises(ConfigError, match="There is no scorer 'foo'"):
        check_scorer(suite("exact"), "foo")


def test_one_without_effect_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    check_scorer(suite("exact"), "number")
    assert "--scorer number has no effect: every task of sums names" in capsys.readouterr().err


def test_nothing_is_said_if_it_is_used_or_none_is_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    check_scorer(suite(""), "number")
    check_scorer(suite("exact"), None)
    assert not capsys.readouterr().err
