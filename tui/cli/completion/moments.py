"""Completes moments of the session on the command line: its newest steps and calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import click
from click.shell_completion import CompletionItem

from sandbox_tui.tui.cli.completion.items import beginning_with
from sandbox_tui.tui.cli.completion.stored import stored

if TYPE_CHECKING:
    from sandbox_tui.sessions import Store
    from sandbox_tui.sessions.store.tables.calls import CallRow

MAX_OFFERED = 20
"""Maximum number of steps, and of calls, that are offered: the newest ones."""

MAX_CALLS = 100
"""Maximum number of calls among which what the steps did is looked for."""

STEP, CALL = "step:", "call:"

FORMS = {
    "end": "the end of the session",
    CALL: "the end of a call, such as call:7",
    "seq:": "an event, such as seq:9",
    STEP: "a step, such as step:5",
}
"""How a moment is named, with what each form means."""


def complete_moment(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the moments that begin with the typed text: the newest steps of the session that the
    command line names, and after `call:` its calls; without a session, how to name a moment."""
    del param
    if incomplete.startswith(CALL):
        return beginning_with(incomplete, stored(lambda store: _calls(store, _session(ctx))))
    steps = stored(lambda store: _steps(store, _session(ctx)))
    if incomplete.isdigit():
        return beginning_with(incomplete, {name.removeprefix(STEP): steps[name] for name in steps})
    forms = {name: FORMS[name] for name in FORMS if name != STEP or not steps}
    return beginning_with(incomplete, {"end": forms.pop("end"), **steps, **forms})


def _session(ctx: click.Context) -> str:
    """Return the first session that the command line names; empty if none is named yet."""
    given: object = ctx.params.get("session")
    if isinstance(given, tuple):
        given = next(iter(cast(tuple[object, ...], given)), None)
    # an option that still lacks its value keeps Click from assigning the arguments
    return str(given or next(iter(ctx.args), ""))


def _steps(store: Store, session: str) -> Mapping[str, str]:
    """Return the newest steps of a session, each with its first call."""
    from sandbox_tui.sessions.store.tables.calls import newest_calls_of, replies_of
    from sandbox_tui.tui.cli.open_store import session_named

    if not session:
        return {}
    run = session_named(store, session)
    first = {call.step: call for call in newest_calls_of(store, run.id, MAX_CALLS)}
    newest = sorted(replies_of(store, run.id), reverse=True)[:MAX_OFFERED]
    return {f"{STEP}{step}": _summary(first.get(step)) for step in newest}


def _calls(store: Store, session: str) -> Mapping[str, str]:
    """Return the newest calls of a session."""
    from sandbox_tui.sessions.store.tables.calls import newest_calls_of
    from sandbox_tui.tui.cli.open_store import session_named

    if not session:
        return {}
    found = newest_calls_of(store, session_named(store, session).id, MAX_OFFERED)
    return {f"{CALL}{call.number}": _summary(call) for call in found}


def _summary(call: CallRow | None) -> str:
    """Return what a call did; empty for a step without calls."""
    from sandbox_tui.core.tools.call_summaries import short_name, summarize_call

    if call is None:
        return ""
    return f"{short_name(call.tool)} {summarize_call(call.tool, call.arguments)}".strip()
