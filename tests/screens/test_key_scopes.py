"""Which places have their keys active together, checked against the real screens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, TextArea

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem, RunState
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.key_names import writes
from sandbox_tui.tui.keys.key_scopes import INSIDE, TYPED_IN
from sandbox_tui.tui.screens.cockpit.live.approving.allowed_rules import AllowedRulesDialog
from sandbox_tui.tui.screens.cockpit.live.choose_mode import ModeDialog
from sandbox_tui.tui.screens.compare.comparison_rows import ComparisonRows
from sandbox_tui.tui.screens.compare.difference_pager import DifferencePager
from sandbox_tui.tui.screens.evals.new_eval import NewEvalDialog
from sandbox_tui.tui.screens.wall.dialogs.decide_about_all import DecideAboutAllDialog, WaitingCall
from sandbox_tui.tui.screens.wall.dialogs.end_runs import EndRunsDialog
from sandbox_tui.tui.screens.wall.dialogs.message_runs import MessageRunsDialog
from sandbox_tui.tui.screens.wall.dialogs.resume_runs import ResumeRunsDialog
from sandbox_tui.tui.screens.wall.dialogs.take_runs import TakeRunsDialog
from tests.snapshots import test_looks as looks
from tests.waiting import until

store = looks.store

NAMES = (
    *("home", "replay", "live", "wall", "compare", "settings", "new-run", "fork", "choose-model"),
    *("pager", "help", "edit", "jump", "go-to-step", "filter-files", "file-view", "choose-version"),
    *("allow-always", "copy-out", "edit-file", "home-tags", "failure", "confirm", "leave", "image"),
    *("eval", "evals", "evals-delete", "training", "trainings", "export"),
)
"""Screens that together contain every place; the others are these in a different state."""


async def new_eval(app: SandboxTui, _: Pilot[int], store: Store) -> None:
    await app.push_screen(NewEvalDialog(store, app.settings.now, {}))


def a_waiting_call() -> WaitingCall:
    call = e.ToolCall(number=1, step=1, id="1", name="execute_bash", arguments="{}")
    return WaitingCall(1, CallItem(call, 0.0))


async def difference(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    await looks.compare(app, pilot, store)
    await until(pilot, lambda: any(rows.rows for rows in app.screen.query(ComparisonRows)))
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, DifferencePager))


OPENED: dict[str, tuple[str | None, looks.Act]] = {
    **{name: looks.SCREENS[name] for name in NAMES},
    "palette": (None, looks.palette),
    "new-eval": (None, new_eval),
    "difference": (None, difference),
    "mode-menu": (None, looks.pushed(lambda: ModeDialog("ask"))),
    "decide-all": (None, looks.pushed(lambda: DecideAboutAllDialog([a_waiting_call()]))),
    "end-runs": (None, looks.pushed(lambda: EndRunsDialog(1, "both runs shown"))),
    "resume-runs": (None, looks.pushed(lambda: ResumeRunsDialog(1, 2))),
    "take-runs": (None, looks.pushed(lambda: TakeRunsDialog(1, 2))),
    "message-runs": (None, looks.pushed(lambda: MessageRunsDialog(1, 2, "both runs shown"))),
    "allowed": (None, looks.pushed(lambda: AllowedRulesDialog(RunState(), lambda _: None))),
}


class Spot(NamedTuple):
    """A widget that receives keys.

    Attributes:
        innermost: the place closest to it.
        places: all places whose keys work while it has the focus.
        is_text: whether the user types into it.
    """

    innermost: str
    places: frozenset[str]
    is_text: bool


def spots(screen: Screen[Any]) -> Iterator[Spot]:
    for node in screen.walk_children(with_self=True):
        around = [places_of(outer) for outer in node.ancestors_with_self if outer is not screen.app]
        named = [places for places in around if places]
        if named and (node.can_focus or places_of(node)):
            is_text = isinstance(node, (Input, TextArea))
            innermost = min(named[0] - {"list"} or named[0])
            yield Spot(innermost, frozenset().union(*named), is_text)


def places_of(node: DOMNode) -> set[str]:
    bindings = [one for many in node._bindings.key_to_bindings.values() for one in many]
    return {ACTIONS[one.id].place for one in bindings if one.id in ACTIONS} - {"app"}


def pairs(places: frozenset[str]) -> set[tuple[str, ...]]:
    return {tuple(sorted(pair)) for pair in combinations(places, 2)}


def is_written_into(place: str) -> bool:
    """Whether text can be typed there: none of the place's default keys writes a character, but for
    `/`, which opens a search from other widgets and is typed into text fields."""
    keys = {key for action in ACTIONS.values() if action.place == place for key in action.keys}
    return not any(writes(key) for key in keys - {"slash", "/"})


async def test_the_tables_of_places_are_what_the_screens_are_composed_of(store: Store) -> None:
    found: set[Spot] = set()
    for begin, act in OPENED.values():
        async with looks.shown(store, (160, 45), begin) as (app, pilot):
            await act(app, pilot, store)
            await pilot.pause()
            found |= set(spots(app.screen))
    every = {action.place for action in ACTIONS.values()} - {"app"}
    assert set().union(*(spot.places for spot in found)) == every

    together = set().union(*(pairs(spot.places) for spot in found))
    table = {tuple(sorted((inner, outer))) for inner in INSIDE for outer in INSIDE[inner]}
    assert table == together

    texts = [spot for spot in found if spot.is_text]
    typed = {spot.innermost for spot in texts} | {
        place for spot in texts if spot.innermost == "path" for place in spot.places
    }
    assert set(TYPED_IN) == {place for place in typed if is_written_into(place)}
