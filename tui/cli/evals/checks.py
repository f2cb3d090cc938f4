"""Checks what was asked for before any sample is begun."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sandbox_tui.core.config.settings import Settings
    from sandbox_tui.core.evals.suite import Suite


def check_model(suite: Suite, settings: Settings) -> None:
    """Refuse a model that each sample would fail for.

    Raises:
        ConfigError: it has no key or no valid address, or it is the demo.
    """
    from sandbox_tui.core.config.settings import api_key, changed
    from sandbox_tui.core.models.factory import refuse_demo, refuse_unusable

    own = {f"model.{name}": value for name, value in suite.model.items()}
    model = changed(settings, own).model
    refuse_demo(model)
    if model.name:  # without one, the evaluation itself says so
        refuse_unusable(model, api_key(model))


def check_scorer(suite: Suite, given: str | None) -> None:
    """Refuse a given scorer that cannot be used, and say so if every task names its own.

    Raises:
        ConfigError: there is no such scorer, or it cannot be used.
    """
    if not given or any(not task.scorer for task in suite.tasks):
        return  # the evaluation itself checks the scorers of its tasks
    from sandbox_tui.core.evals.scorers.table import scorer_named

    scorer_named(given, suite.scorer_options.get(given))
    click.echo(
        f"--scorer {given} has no effect: every task of {suite.name} names its own scorer; "
        "`sandbox-tui eval rescore --scorer` replaces it.",
        err=True,
    )
