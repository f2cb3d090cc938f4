"""A session's outcome has the same sign wherever it is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.outcome_sign import outcome_sign
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.sessions.interchange.exports.html_page.session_sign import end_sign, session_sign
from sandbox_tui.tui.format.status import status_of
from sandbox_tui.tui.screens.compare.draw_rows import _outcome_style
from sandbox_tui.tui.theming.palette import _palette
from sandbox_tui.tui.widgets.calls.end_card import _outcome
from sandbox_tui.tui.widgets.sessions.session_rows import sign_of
from sandbox_tui.tui.widgets.wall.run_facts import status_style, status_words
from tests.unit.event_streams import started
from tests.unit.sessions.relations.test_fork_tree import run
from tests.unit.tui.widgets.test_wall_header import lines
from tests.unit.tui.widgets.test_wall_header import run as on_wall

COLOURS = [f"#{number:06x}" for number in range(12)]
PALETTE = _palette(*COLOURS, highlight="native")


@pytest.mark.parametrize(
    ("reason", "sign", "role"),
    [
        ("submitted", "✓", "good"),
        ("disconnected", "◌", "warn"),
        ("model_unavailable", "✗", "bad"),
        ("max_steps", "✗", "bad"),
    ],
)
def test_an_outcome_has_one_sign_and_one_colour(
    reason: e.FinishReason, sign: str, role: str
) -> None:
    style = getattr(PALETTE, role)
    session = replace(run("a"), outcome=reason)
    finished = e.RunFinished(reason=reason, error=None, totals=e.Totals(), answer="a")
    state = fold([started(), finished])
    tile = on_wall("t", "a", reason)
    words = reason.replace("_", " ")
    assert sign_of(session, PALETTE) == (sign, style)
    assert session_sign(session)[1:] == (sign, role)
    assert end_sign(finished)[1:] == (sign, role)
    assert status_of(state)[::2] == (sign, role)
    assert (status_words(tile), status_style(tile, PALETTE)) == (f"{sign} {words}", style)
    assert _outcome(finished, 80, PALETTE, "", is_rebuilt=False)[0].plain.startswith(sign)
    assert _outcome_style(words, PALETTE) == style


def test_a_run_that_was_cut_off_is_not_counted_as_failed_on_a_wall() -> None:
    header = lines(on_wall("t", None, "disconnected"), on_wall("u", None, "max_steps"))[0]
    assert "◌ 1 disconnected  ✗ 1 max steps" in header


def test_a_killed_run_has_the_sign_of_a_disconnected_one() -> None:
    assert outcome_sign("interrupted") == outcome_sign("disconnected")
