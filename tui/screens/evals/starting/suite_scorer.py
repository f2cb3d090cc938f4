"""The scorer in the form: whether it goes with the suite, and what it does to the suite's own."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.suite_file import scorers_in_file
from sandbox_tui.tui.screens.dialogs.form import Texts
from sandbox_tui.tui.screens.evals.start_eval import OWN_SCORER

PAIR = ("suite", "scorer")
"""The fields that belong together: a scorer is chosen for a suite."""

NO_EFFECT = "no effect"
NO_EFFECT_HINT = "no effect: every task names its own scorer"
"""Note and hint at a scorer that no task uses."""


def with_own_scorer(draft: Texts) -> Texts:
    """Return a draft whose suite comes without a scorer with the suite's own one: the scorer that
    the form offers was chosen for another suite."""
    return {"scorer": OWN_SCORER, **draft} if "suite" in draft else draft


def scorer_for(suite: str, put: Texts) -> str:
    """Return the scorer for a suite of which the user has chosen none.

    Args:
        suite: as typed.
        put: suite and scorer that the form put in together.
    """
    return put["scorer"] if suite == put["suite"] else OWN_SCORER


def scorers_of(suite: str) -> tuple[str, ...]:
    """Return the scorers that a suite itself names; none if it cannot be read. Blocks."""
    try:
        return scorers_in_file(suite) if suite else ()
    except ConfigError:
        return ()


def replaced_by(scorer: str, own: Sequence[str]) -> str:
    """Return the suite's own scorers that the chosen one replaces; empty if there are none."""
    return "" if scorer == OWN_SCORER or set(own) <= {scorer} else sanitize_line(", ".join(own))


def replaces_note(replaced: str) -> str:
    """Return the note at a scorer that replaces others; empty if it replaces none."""
    return f"replaces {replaced}" if replaced else ""


def replaces_hint(replaced: str) -> str:
    """Return the hint at a scorer that replaces others; empty if it replaces none."""
    return f"replaces the suite's own scorer, {replaced}" if replaced else ""
