"""What the key bar of the wall says, and what it answers to keys that only an opened run has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandbox_tui.core.events.types import Mode
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import action_with, hint
from sandbox_tui.tui.screens.cockpit.live.steering import pause_words
from sandbox_tui.tui.screens.cockpit.nothing_to_act_on import AFTER_THE_END, DURING_AND_AFTER
from sandbox_tui.tui.screens.wall.steering.controlled_runs import (
    DECIDING,
    active_modes,
    others_for,
)
from sandbox_tui.tui.screens.wall.steering.resumable_runs import to_resume, why_not_resumed
from sandbox_tui.tui.widgets.wall.run_groups import has_ended
from sandbox_tui.tui.widgets.wall.run_tile import RunTile

PLACES = ("live", "cockpit")
"""The places whose keys work once a run is opened."""


STEERING = ("message", "mode", "pause", "end")
"""Actions on the chosen run that a bar of some length keeps while calls wait."""

STEERING_COLUMNS = 90
"""Columns of the terminal from which there is room for them."""

SHORT_COLUMNS = 120
"""Columns below which the words are as short as they can be, so that more keys fit."""

OTHERS_WORDS: Mapping[str, str] = {"message": "message", "mode": "mode of", "end": "end"}
"""What keys do that are about the other runs once the chosen one has ended."""


NARROW_COLUMNS = 80
"""Columns below which the key of the palette gives way to those of the runs."""

USEFUL = ("open", "end", "pause_all", "filter", "find", "message", "mode", "pause")
"""Actions whose keys a narrow bar rather shows than that of the palette: first those that only the
wall has, since an opened run shows the others."""


def deciding_first(waiting: int, width: int) -> Sequence[str]:
    """Return the actions whose keys come first in the bar: those that decide while calls wait and,
    where the palette would take their room, those of the runs.

    Args:
        waiting: number of calls that can be decided about from here.
        width: columns of the terminal.
    """
    deciding = DECIDING if waiting else ()
    if 0 < width < NARROW_COLUMNS:
        return (*deciding, *(one for one in USEFUL if one not in deciding))
    return (*deciding, *STEERING) if waiting and width >= STEERING_COLUMNS else deciding


def words_of(
    action: str,
    chosen: RunTile | None,
    marked: RunTile | None,
    waiting: int,
    tiles: Sequence[RunTile],
    width: int = SHORT_COLUMNS,
) -> str | None:
    """Return the current words for an action; None for the binding's own description.

    Args:
        action: its name.
        chosen: the focused run.
        marked: the run to compare with.
        waiting: number of calls that can be decided about from here.
        tiles: those that are shown.
        width: columns of the terminal.
    """
    if action == "pause" and chosen is not None:
        return pause_words(chosen.state.mode)
    if action in OTHERS_WORDS and (others := others_for(chosen, tiles)):
        those = "all" if len(others) > 1 else f"run {others[0].number}"
        return f"{OTHERS_WORDS[action]} {those}"
    if action == "resume" and chosen is not None and why_not_resumed(chosen):
        first, count = to_resume(chosen, tiles)
        which = f"run {first.number}" if count == 1 else f"{count} runs"
        return f"resume {which}" if count else None
    if action == "pause_all":
        return "resume all" if active_modes(tiles) == frozenset[Mode](("paused",)) else "pause all"
    if action == "approve_all":
        return f"{'all' if width < SHORT_COLUMNS else 'decide on'} {waiting or 'all'}"
    if action != "compare" or marked is None:
        return None
    return "unmark" if marked is chosen else f"compare with {marked.number}"


def take_words(chosen: RunTile | None, taken: RunTile | None) -> str | None:
    """Return what taking control is about, unless it is about the chosen run."""
    return None if taken is None or taken is chosen else f"control run {taken.number}"


def why_key_of_run_does_nothing(key: str, chosen: RunTile | None) -> str:
    """Return why a key of an opened run does nothing on the wall, and what to do instead; empty if
    it is none."""
    name = action_with(key, PLACES)
    if not name:
        return ""
    title = ACTIONS[name].short_title
    if chosen is None:
        return f"{title}: no run is chosen."
    place, _, action = name.partition(".")
    opens = f"{hint('wall.open')}  open run {chosen.number}"
    ended, is_later = has_ended(chosen.worker), action in AFTER_THE_END
    if action in DURING_AND_AFTER:
        return f"{title}: only in an opened run.  {opens}"
    if place == "live" and ended != is_later:
        why = "this run has ended" if ended else "this run still runs"
        return f"{title}: {why}.  {opens}"
    if place == "live" and not ended and not chosen.worker.can_be_steered:
        return f"{title}: this run can only be watched here."
    if name == "live.allowed":
        keys = f"{hint('wall.mode')} {hint('mode_menu.allowed')}"
        return f"{title}: {keys} lists what you allowed in run {chosen.number}."
    return f"{title}: only in an opened run.  {opens}"
