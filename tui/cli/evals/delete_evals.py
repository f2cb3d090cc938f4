"""`sandbox-tui eval rm`: deletes evaluations."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.delete import (
    delete_evaluation,
    delete_with_sessions,
    refuse_running,
)
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.evals.eval_sessions import own_sessions
from sandbox_tui.tui.cli.sessions.free_space import free_space
from sandbox_tui.tui.cli.settings.confirm import confirm, kept_words
from sandbox_tui.tui.format import numbers

NONE_OF_ITS_OWN = "It has no sessions of its own; those of another evaluation stay."


def delete_alone(store: Store, chosen: Sequence[ledger.EvalSummary], *, ask: bool) -> None:
    """Delete evaluations; their sessions stay.

    Raises:
        ConfigError: a program is working on one of them.
        StoreError: the write failed.
    """
    for found in chosen:
        refuse_running(found)
    for found in chosen:
        if ask:
            confirm(f"Delete {_name(found)}? Its sessions stay.", kept_words(found is chosen[0]))
        delete_evaluation(store, found.info.id)
        click.echo(f"deleted {found.info.id}")


def delete_whole(store: Store, chosen: Sequence[ledger.EvalSummary], *, ask: bool) -> None:
    """Delete evaluations and the sessions of their samples, and free their space.

    Raises:
        ConfigError: a program is working on one of them.
        StoreError: the write failed.
    """
    for found in chosen:
        refuse_running(found)
    for found in chosen:
        count = len(own_sessions(store, found.info.id))
        if ask:
            its = f" and its {numbers.counted(count, 'session')}?"
            rest = its if count else f"? {NONE_OF_ITS_OWN}"
            confirm(f"Delete {_name(found)}{rest}", kept_words(found is chosen[0]))
        count = delete_with_sessions(store, found.info.id)
        sessions = f" and {numbers.counted(count, 'session')}" if count else f". {NONE_OF_ITS_OWN}"
        click.echo(f"deleted {found.info.id}{sessions}")
    free_space(store)


def _name(found: ledger.EvalSummary) -> str:
    info = found.info
    return sanitize_line(
        f"{info.id} ({info.suite} with {info.model}, {found.over} of {found.samples} samples done)"
    )
