"""Entries of the palette for what is typed: a place in a session, a run of a wall, the
format of a report."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from textual.app import App
from textual.screen import Screen

from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.cockpit.nothing_to_act_on import why_not_after_the_end
from sandbox_tui.tui.screens.messages import ForkRequested
from sandbox_tui.tui.screens.palette.actions.evaluation_actions import evaluation_of
from sandbox_tui.tui.screens.palette.actions.export_as import export_entries, is_meant
from sandbox_tui.tui.screens.palette.actions.run_modes import mode_entries
from sandbox_tui.tui.screens.palette.actions.session_actions import fork_run
from sandbox_tui.tui.screens.palette.actions.steps_and_calls import places_of
from sandbox_tui.tui.screens.palette.entry import Entry
from sandbox_tui.tui.screens.palette.matching.closest_words import closest_words
from sandbox_tui.tui.textual_support.copy_text import copy
from sandbox_tui.tui.widgets.wall.run_tile import RunTile

_PLACE = re.compile(r"(?:go ?to |jump to |jump )?(?:(step|call) ?)?(\d{1,9})")
"""A step or a call, such as `3`, `step 3`, `go to step 3` and `call 3`."""

_PLACE_WORDS = ("step", "call", "go", "to", "goto", "jump")
"""The words of a place, as they may be mistyped."""

_MOMENT = re.compile(
    r"(?:(?:go ?to|jump to|jump|time|at) ?)?((?:\d{1,5}:)?\d{1,5}:\d{2}|\d{1,3} ?%)"
)
"""A moment of a replay, such as `1:23`, `go to 0:30` and `50%`."""

_FORK = re.compile(r"fork (?:after |at |from )?(?:step ?)?(\d{1,9})")
"""A step to fork after, such as `fork step 3` and `fork at 3`."""

_RUN = re.compile(r"(?:go ?to |jump to |open |fork )?(?:run|tile|sample) ?(\d{1,4})")
"""A run of a wall, such as `run 3` and `fork run 3`."""

FORMATS = {"csv": "table samples", "cells": "csv", "markdown": "md", "json": ""}
"""Formats of a report in a terminal, and other words for them."""


def typed_entries(app: App[int], below: Screen[object], typed: str) -> Sequence[Entry]:
    """Return the entries that a typed text adds.

    Args:
        app: the program.
        below: the screen from which the palette was opened.
        typed: the typed text.
    """
    words = " ".join(typed.lower().split())
    places = (*_places(below, words), *_moments(below, words), *_forks(below, words))
    exports = (*export_entries(app, below, words), *_reports(app, below, words))
    return (*places, *_runs(below, words), *mode_entries(below), *exports)


def _without_mistakes(typed: str) -> str:
    """Return a text with the words for places as they are meant, such as `step 2` for `stp 2`;
    empty if none is meant."""
    return closest_words(typed, (*_PLACE_WORDS, *filter(str.isdigit, typed.split())))


def _places(below: Screen[object], typed: str) -> Sequence[Entry]:
    """Return the step or the call of a session that is meant."""
    found = _PLACE.fullmatch(typed) or _PLACE.fullmatch(_without_mistakes(typed))
    if found is None:
        return ()
    places = places_of(below)
    if places is None:
        return ()
    number, kind = int(found[2]), found[1] or ""
    if kind == "call":
        return (_place("call", number, places.calls, places.go_to_call, typed),)
    if not kind and not 1 <= number <= places.steps:  # it is perhaps a part of something else
        return ()
    return (_place("step", number, places.steps, places.go_to_step, typed),)


def _moments(below: Screen[object], typed: str) -> Sequence[Entry]:
    """Return the moment of a replay that is meant."""
    from sandbox_tui.tui.screens.cockpit.replay.replay_actions import ReplayActions

    found = _MOMENT.fullmatch(typed)
    if found is None or not isinstance(below, ReplayActions):
        return ()
    go, off = partial(below.go_to, found[1]), below.why_no_place(found[1])
    also = "goto jump seek time at"
    return (Entry("Actions", "go_to_moment", f"Go to {found[1]}", "", go, off, also),)


def _forks(below: Screen[object], typed: str) -> Sequence[Entry]:
    """Return the fork of a session that is meant."""
    found = _FORK.fullmatch(typed)
    if found is None or not isinstance(below, Cockpit):
        return ()
    step, off = int(found[1]), _why_no_fork(below, int(found[1]))
    fork, also = partial(_fork, below, step), "at from branch"
    return (Entry("Actions", "fork_after_step", f"Fork after step {step}", "", fork, off, also),)


def _why_no_fork(below: Cockpit, step: int) -> str:
    """Return why a session cannot be forked after a step; empty if it can be."""
    from sandbox_tui.tui.screens.cockpit.replay.replay_actions import ReplayActions

    if isinstance(below, ReplayActions):
        return below.why_no_place(str(step))
    last = below.state.step
    return why_not_after_the_end("fork", below.state) or (
        f"the last step is {last}" if step > last else ""
    )


def _fork(below: Cockpit, step: int) -> None:
    from sandbox_tui.tui.screens.cockpit.replay.replay_actions import ReplayActions

    if isinstance(below, ReplayActions):
        below.hold()
    below.post_message(ForkRequested(below.session[1], f"step:{step}"))


def _place(kind: str, number: int, last: int, go: Callable[[int], object], typed: str) -> Entry:
    known = f"the last {kind} is {last}" if last else f"there is no {kind}"
    off = "" if 1 <= number <= last else known
    words, name = f"Go to {kind} {number}", f"go_to_{kind}_{number}"
    also = f"goto jump seek {typed}"
    return Entry("Actions", name, words, "", partial(go, number), off, also)


def _runs(below: Screen[object], typed: str) -> Sequence[Entry]:
    """Return what can be done with the run of a wall that is meant."""
    found = _RUN.fullmatch(typed)
    if found is None:
        return ()
    number = int(found[1])
    tile = next((one for one in below.query(RunTile) if one.number == number), None)
    if tile is None:
        return ()

    async def open_run() -> None:
        below.set_focus(tile)
        await below.run_action("open")

    off, also = "" if tile.display else "the filter hides it", "tile sample go jump"
    return (
        Entry("Actions", f"go_to_run_{number}", f"Go to run {number}", "", tile.focus, off, also),
        Entry("Actions", f"open_run_{number}", f"Open run {number}", "", open_run, off, also),
        fork_run(below, tile),
    )


def _reports(app: App[int], below: Screen[object], typed: str) -> list[Entry]:
    """Return the commands for the report of the evaluation below in the formats that are meant."""
    info = evaluation_of(below)
    if info is None:
        return []
    words, entries = typed.split(), list[Entry]()
    for form, also in FORMATS.items():
        if not is_meant(words, form, also):
            continue
        command = f"sandbox-tui eval report {info.id} -f {form}"
        short = f"sandbox-tui eval report {info.id.rpartition('-')[2]} -f {form}"
        title = f"Copy the command for the report as {form}"
        other = f"export save share write file download {also}"
        run = partial(copy, app, command)
        entries.append(Entry("Actions", f"report_{form}", title, short, run, also=other))
    return entries
