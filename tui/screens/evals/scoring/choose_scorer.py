"""The dialog to choose the scorer that scores recorded answers again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.core.evals.reporting.outcomes import has_ended
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.scorers.table import NEED_SANDBOX, NEED_TARGET, SCORES
from sandbox_tui.tui.screens.palette.choose_entry import ChooseEntryDialog
from sandbox_tui.tui.screens.palette.entry import Entry, Group, Match
from sandbox_tui.tui.screens.palette.matching.fuzzy import NOISE, fit

SAME = "the same"
"""Words of the entry for the scorers that the tasks have."""

HEADING = "Scorer of all tasks"

NAME_CELLS = max(map(len, SCORES)) + 2

NO_SANDBOX = "works in a sandbox, which is gone"
NO_TARGET = "a task has no target to compare with"


class ChooseScorerDialog(ChooseEntryDialog):
    """Lists the scorers; dismisses with an entry whose name is the scorer, empty for those that the
    tasks have.

    Args:
        results: the samples of the evaluation.
        typed: the initial text.
        before: the scorer to start on.

    Attributes:
        typed: the text of the line.
    """

    heading = "score again"
    placeholder = "a scorer, or your own as package.module:Class"
    enter_words = "score again"

    def __init__(self, results: Iterable[SampleResult], typed: str = "", before: str = "") -> None:
        super().__init__()
        self._entries = list(_entries(results))
        self._before = before
        self.typed = typed

    def on_mount(self) -> None:
        """Put back what was typed and chosen before; the base class shows the entries."""
        self.query_one(Input).value = self.typed
        self.show_entries()
        for entry in self._entries:
            if entry.name == self._before:
                self._list.go_back_to(entry)

    @override
    def groups(self, typed: str) -> list[Group]:
        self.typed, name = typed, typed.strip()
        if ":" in name:
            return [(HEADING, [Match(_entry(name, "your own scorer"))])]
        matches = list(_matches(self._entries, name))
        return [(HEADING, matches)] if matches else []


def _matches(entries: Sequence[Entry], typed: str) -> Iterator[Match]:
    """Yield the entries that match, the best first; those with scattered letters only if no other
    does."""
    if not typed:
        yield from map(Match, entries)
        return
    fits = ((entry, fit(typed, entry.words, entry.own)) for entry in entries)
    found = [
        Match(entry, one.places, one.score, one.level) for entry, one in fits if one is not None
    ]
    best = max((match.level for match in found), default=NOISE)
    ranked = sorted(found, key=lambda match: (bool(match.entry.off), -match.score))
    yield from (match for match in ranked if match.level == best)


def _entries(results: Iterable[SampleResult]) -> Iterator[Entry]:
    yield _entry("", "the scorers that the tasks have", SAME)
    lacks_target = any(has_ended(one) and not one.target for one in results)
    off: dict[str, str] = {}
    if lacks_target:
        off.update((name, NO_TARGET) for name in NEED_TARGET)
    off.update((name, NO_SANDBOX) for name in NEED_SANDBOX)
    for name in sorted(SCORES, key=lambda name: (name in off, name)):
        yield _entry(name, SCORES[name], off=off.get(name, ""))


def _entry(name: str, what: str, shown: str = "", off: str = "") -> Entry:
    label = shown or name
    words = f"{label:{NAME_CELLS}}{what}" if len(label) < NAME_CELLS else f"{label}  {what}"
    return Entry("Scorers", name, words, "", lambda: None, off=off, own=len(label))
