"""The part of the form for evaluations that depends on its suite: how many samples it starts, which
values hold in empty fields, and which scorer goes with it."""

from __future__ import annotations

import asyncio

from textual import on, work
from textual.events import Resize
from textual.widgets import Input, Select
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.dialogs.dialog import Result
from sandbox_tui.tui.screens.dialogs.form import WIDE, Texts
from sandbox_tui.tui.screens.evals.start_eval import BOTH, OWN_SCORER, mistake_in_file, names_in
from sandbox_tui.tui.screens.evals.starting.fields import (
    MEANINGS,
    MOST,
    TYPING_SECONDS,
    usual_values,
)
from sandbox_tui.tui.screens.evals.starting.preview import COUNTING, Preview, preview_of
from sandbox_tui.tui.screens.evals.starting.scrolled_fields import ScrolledFields
from sandbox_tui.tui.screens.evals.starting.suite_scorer import (
    NO_EFFECT,
    NO_EFFECT_HINT,
    PAIR,
    replaced_by,
    replaces_hint,
    replaces_note,
    scorer_for,
    scorers_of,
)
from sandbox_tui.tui.screens.home.model_form import ModelForm


class SuiteForm(ModelForm[Result]):
    """A form with the fields `#suite`, `#scorer`, and those that select from the suite's tasks.

    Attributes:
        is_starting: whether the evaluation is being started.
    """

    is_starting = False

    def __init__(self) -> None:
        super().__init__()
        self._preview: Preview | None = None
        self._counted: tuple[str, ...] | None = None
        self._own_scorers: tuple[str, ...] = ()
        self._put_pair: Texts = {}

    @on(Input.Changed, "#suite")
    @on(Input.Changed, "#domains")
    @on(Input.Changed, "#limit")
    @on(Input.Changed, "#samples")
    @on(Select.Changed, "#mode")
    @on(Select.Changed, "#scorer")
    @on(Select.Changed, "#kind")
    @on(Resize)
    @on(ScrolledFields.MoreChanged)
    def show_size(self) -> None:
        """Say beside the key how many samples it starts, as soon as that is known."""
        for name in {"suite", "scorer", "mode", "kind"} - set(self._mistakes):
            self.query_one(f"#{name}").border_subtitle = self.note_of(name)
        typed = self.stripped()
        if _what_counts(typed) != self._counted:
            self._preview, self._own_scorers = None, ()
            self._count_tasks()
        if not self.is_starting:
            self.query_one("#box").border_subtitle = self._start_words(typed)

    @work(group="size", exclusive=True)
    async def _count_tasks(self) -> None:
        await asyncio.sleep(TYPING_SECONDS)
        typed = self.stripped()
        limit, domains = typed["limit"], names_in(typed["domains"])
        # what the suite itself says stays on show beside a wrong limit
        has_limit = limit and not self.mistake_while_typing("limit", limit)
        most = int(limit) if has_limit else None
        self._preview = await asyncio.to_thread(preview_of, typed["suite"], most, domains)
        self._own_scorers = await asyncio.to_thread(scorers_of, typed["suite"])
        self._counted = _what_counts(typed)
        self.show_size()
        self._show_usual()

    def _show_usual(self) -> None:
        """Show in the empty fields what holds if they stay empty: what the suite says, or else the
        settings."""
        texts = usual_values(self._settings)
        if self._preview is not None:
            texts |= self._preview.own
        for name, text in texts.items():
            self.query_one(f"#{name}", Input).placeholder = text
        if (focused := self._field_of(self.focused)) in ("domains", "scorer"):
            self._explain(focused)

    def _start_words(self, typed: Texts) -> str:
        start = self.query_one(ScrolledFields).more_below + hint("new_eval.start")
        leave = hint("new_eval.leave")
        has_mistake = any(self.mistake_while_typing(name, typed[name]) for name in MOST)
        found = None if self._preview is None else self._preview.size
        if found is None or has_mistake:
            counts = typed["suite"] and _what_counts(typed) != self._counted
            size = f" ({COUNTING})" if counts and not has_mistake else ""
            return f"{start} start{size} · {leave} cancel"
        size = found.changed(int(typed["mode"] != BOTH), int(typed["samples"] or 0))
        factors = f" ({size.factors})" if self.size.width >= WIDE else ""
        return f"{start} start {size.total}{factors} · {leave} cancel"

    @override
    def hint_of(self, name: str) -> str:
        if name == "domains" and self._preview is not None:
            known = sanitize_line(", ".join(self._preview.domains))
            return f"empty for all, or some of: {known}" if known else "its tasks have no domains"
        if self._has_no_effect(name):
            return NO_EFFECT_HINT
        return replaces_hint(self._replaced_at(name)) or MEANINGS.get(name, " ")

    def _has_no_effect(self, name: str) -> bool:
        is_chosen = name == "scorer" and self.typed()[name] != OWN_SCORER
        return is_chosen and self._preview is not None and self._preview.names_scorers

    def _replaced_at(self, name: str) -> str:
        return replaced_by(self.typed()[name], self._own_scorers) if name == "scorer" else ""

    @on(Input.Blurred, "#suite")
    @work(group="check", exclusive=True)
    async def _check_file(self) -> None:
        """Say at once that there is no such file, or what is wrong with it, such as its columns."""
        typed = self.stripped()
        suite, scorer = typed["suite"], typed["scorer"]
        found = await asyncio.to_thread(mistake_in_file, suite, scorer)
        is_same = {"suite": suite, "scorer": scorer}.items() <= self.stripped().items()
        if found is not None and is_same and not self.is_starting:
            self._mark(found.field, sanitize_line(str(found)))

    def scorer_note(self, name: str) -> str:
        """Return the note at a scorer that has no effect, or replaces the suite's own one."""
        return NO_EFFECT if self._has_no_effect(name) else replaces_note(self._replaced_at(name))

    def pair_is_put(self) -> None:
        """Note that the form has put in suite and scorer, which belong together."""
        self._put_pair = self._pair

    @property
    def _pair(self) -> Texts:
        return {name: text for name, text in self.typed().items() if name in PAIR}

    @on(Input.Changed, "#suite")
    def _choose_own_scorer(self) -> None:
        """Take back the scorer of another suite, unless the user has chosen it in this form."""
        pair = self._pair
        wanted = scorer_for(pair["suite"], self._put_pair)
        if "scorer" in self._put_texts and pair["scorer"] != wanted:
            self.put("scorer", wanted)


def _what_counts(typed: Texts) -> tuple[str, ...]:
    """Return the texts that decide how many tasks there are."""
    return tuple(typed[name] for name in ("suite", "limit", "domains"))
