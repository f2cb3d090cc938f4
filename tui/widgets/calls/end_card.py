"""The result of a finished run: outcome, answer, results, figures, and the next keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.style import Style
from rich.text import Text
from textual import work
from textual.events import Click
from textual.geometry import Size
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import working_directory
from sandbox_tui.core.events.outcome_sign import outcome_sign
from sandbox_tui.core.events.run_state import ReplyItem, RunState
from sandbox_tui.core.events.types import RESUMABLE, RunFinished
from sandbox_tui.sessions.store.answers import NOT_SUBMITTED, leftover_answer
from sandbox_tui.sessions.store.tables.evals.verdicts import Verdict
from sandbox_tui.tui.format import run_end
from sandbox_tui.tui.format.answers import (
    NO_ANSWER,
    UNKNOWN_END,
    score_words,
    short_answer,
    why_no_answer,
)
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.run_end import NO_FILES, ResultFiles, said_words_at_end
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.leaving_word import leaving_word
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.preview.code import wrapped
from sandbox_tui.tui.widgets.preview.markdown_summary import markdown_summary

MAX_ANSWER_LINES = 5
"""Maximum rows of the answer; the calls above contain all of it."""

MAX_SCORE_LINES = 2
"""Maximum rows of a score with its reason, and of what was expected."""

MAX_REPLY_CHARS = 400
"""Characters of the last reply from which its one line is made."""

MODEL_FAULTS = ("model_error", "model_unavailable")
"""Reasons of an end that another model may avoid."""

AFTER_RUN = (
    ("live.resume", "resume"),
    ("live.replay", "replay"),
    ("live.fork", "fork"),
    ("live.run_again", "run again"),
    ("live.export", "export"),
    ("live.open_folder", "open folder"),
    ("live.leave", "leave"),
)
"""Key and clickable word of each action available after a run has ended."""

AFTER_REPLAY = (
    ("replay.fork", "fork"),
    ("replay.run_again", "run again"),
    ("replay.export", "export"),
    ("replay.leave", "leave"),
)
"""Key and clickable word of each action available at the end of a replay."""

LEFT_OUT = (".open_folder", ".run_again", ".fork", ".export", ".replay")
"""Ends of the names of actions that leave their room on a narrow card, in this order: the key bar
below has the keys of some, but not those that replay and export."""

MAX_REASON_LINES = 2
"""Lines for why there are no results."""

_ACTION = "action"


class EndCard(Widget):
    """A card that is visible once the run has ended; call `sync` after applying events.

    Args:
        run_id: the session's id.
        actions: the next possible actions, with a word for each.
        list_files: lists the files in the folder of results.
        read_verdict: returns how the sample that it attempted was scored; None if it is none.
    """

    DEFAULT_CSS = """
    EndCard {
        height: auto; max-height: 12; padding: 0 1; display: none; background: $panel;
        border-left: outer $accent;
    }
    EndCard.-ended { display: block; }
    """

    def __init__(
        self,
        run_id: str,
        *,
        actions: Sequence[tuple[str, str]] = AFTER_RUN,
        list_files: Callable[[str], ResultFiles] = run_end.result_files,
        read_verdict: Callable[[], Verdict | None] | None = None,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._run_id = run_id
        self._actions = actions
        self._read_files = list_files
        self._read_verdict = read_verdict
        self._verdict: Verdict | None = None
        self._finished: RunFinished | None = None
        self._files: ResultFiles | None = None
        self._is_rebuilt = False
        self._without_files = NO_FILES
        self._last_reply = ""
        self._said = ""

    def sync(self, state: RunState) -> None:
        """Show the outcome once there is one."""
        if state.finished is not self._finished:
            self._finished = state.finished
            self._files = None
            self._is_rebuilt = state.is_rebuilt
            self._without_files = run_end.without_files(state)
            self._last_reply = "" if state.finished is None else _last_reply(state)
            self._said = "" if state.finished is None else said_words_at_end(state)
            self.set_class(state.finished is not None, "-ended")
            self.refresh(layout=True)
            if self._finished is not None and self._finished.output:
                self._list_files(self._finished.output)
            if self._finished is not None and self._read_verdict is not None:
                self._find_verdict(self._read_verdict)

    @work(group="verdict", exclusive=True)
    async def _find_verdict(self, read: Callable[[], Verdict | None]) -> None:
        self._verdict = await asyncio.to_thread(read)
        self.refresh(layout=True)

    @work(group="files", exclusive=True)
    async def _list_files(self, folder: str) -> None:
        self._files = await asyncio.to_thread(self._read_files, folder)
        self.refresh(layout=True)

    @override
    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return sum(len(lines) for lines in self._parts(width))

    @override
    def render(self) -> Text:
        """Return the parts, shortened if there is not enough room."""
        outcome, scored, results, figures = self._parts(max(1, self.content_size.width))
        room = max(1, self.content_size.height)
        if len(figures) > 2 and room < len(figures) + 2:
            figures = figures[1:]  # a result and the session's id are more useful than the figures
        # outcome and score are more useful than the figures; the key bar has the keys, too
        kept = max(0 if scored else 1, room - (3 if scored else 1))
        figures = figures[max(0, len(figures) - kept) :]
        left = max(0, room - len(figures))
        first, left = outcome[: min(1, left)], max(0, left - 1)
        worth, left = scored[: min(1, left)], max(0, left - min(1, len(scored)))
        # With one line left, the listing of the results is more useful than their path: a key opens
        # the folder.
        # Of results that are not there, the reason comes first.
        is_there = self._finished is not None and bool(self._finished.output)
        if left < len(results):
            results = results[-1:][:left] if is_there else results[:left]
        left -= len(results)
        more = scored[1 : 1 + left]
        rest = outcome[1 : 1 + left - len(more)]
        return Text("\n").join([*first, *rest, *worth, *more, *results, *figures])

    def _parts(self, width: int) -> tuple[list[Text], list[Text], list[Text], list[Text]]:
        """Draw four parts: outcome and answer; the score; the results; figures and next keys."""
        finished = self._finished
        if finished is None:
            return [], [], [], []
        palette = palette_of(self)
        outcome = _outcome(finished, width, palette, self._said, is_rebuilt=self._is_rebuilt)
        scored = self._scored(width, palette)
        without_answer = self._without_answer(finished, palette)
        parts = (
            outcome if scored else [*outcome, *without_answer],
            [*scored, *without_answer] if scored else [],
            self._results(finished, width, palette),
            [
                Text(f"  {_figures(finished)}", style=palette.dim, no_wrap=True),
                *self._next(finished, width, palette),
            ],
        )
        for lines in parts:
            for line in lines:
                fit_line(line, width)
        return parts

    def _scored(self, width: int, palette: Palette) -> list[Text]:
        """Return the score of a sample, why it has that, and what was expected."""
        if self._verdict is None:
            return []
        known = (("score", score_words(self._verdict)), ("expected", self._verdict.expected))
        lines: list[Text] = []
        for name, words in known:
            rows = wrapped(sanitize_line(words), max(1, width - 12), palette.text) if words else []
            for at, row in enumerate(rows[:MAX_SCORE_LINES]):
                line = Text(f"  {'' if at else name:<10}", style=palette.dim, no_wrap=True)
                lines.append(line.append_text(row))
        return lines

    def _without_answer(self, finished: RunFinished, palette: Palette) -> list[Text]:
        """Return what the model said last if there is no answer, and the way to another model if
        this one is at fault."""
        lines: list[Text] = []
        if self._last_reply and not (finished.answer or "").strip():
            said = markdown_summary(self._last_reply, palette)
            line = Text("  last reply: ", style=palette.dim, no_wrap=True)
            lines.append(line.append(said, style=palette.text))
        if finished.reason in MODEL_FAULTS:
            for name, word in self._actions:
                if name.endswith(_other_model_action(finished)):
                    line = Text("  ", no_wrap=True)
                    lines.append(_key(line, name, f"{word} with another model", palette))
        return lines

    def _results(self, finished: RunFinished, width: int, palette: Palette) -> list[Text]:
        """Return the results' location on this machine, and the files."""
        if not finished.output and (self._is_rebuilt or self._verdict is not None):
            return []  # of a sample, the score is more useful
        if not finished.output:
            rows = wrapped(sanitize_line(self._without_files), max(1, width - 2), palette.dim)
            lines = [Text("  ", no_wrap=True).append_text(row) for row in rows[:MAX_REASON_LINES]]
            return [*lines, *self._way_to_results(palette)]
        line = Text("  ", no_wrap=True)
        files = self._files
        place = sanitize_line(str(Path(finished.output).absolute()))
        if files is not None and not files.files:
            words = f"results are not on this machine; they were in {place}"
            return [line.append(words, style=palette.dim)]
        if files is not None:
            line.append(files.summary, style=palette.text)
        line.append(", in " if files is not None else "results in ", style=palette.dim)
        if line.cell_len + len(place) > width:
            place = _from_here(finished.output)
        line.append(place, style=palette.text)
        if files is None:
            return [line]
        return [line, Text(f"  {files.listing}", style=palette.text, no_wrap=True)]

    def _way_to_results(self, palette: Palette) -> list[Text]:
        """Return what to do about results that could not be copied out."""
        again = next((name for name, _ in self._actions if name.endswith(".run_again")), "")
        if self._without_files in (NO_FILES, run_end.NOT_COPIED) or not again:
            return []
        words = "run again, with an output folder that has room and can be written"
        return [_key(Text("  ", no_wrap=True), again, words, palette)]

    def _next(self, finished: RunFinished, width: int, palette: Palette) -> list[Text]:
        """Return the next keys and the session's id, which gets a line of its own if it would be
        cut: it is there to be copied."""
        shown: list[tuple[str, str]] = []
        for name, word in self._actions:
            action = name.partition(".")[2]
            if action == "open_folder" and not finished.output:
                continue
            if action == "resume" and finished.reason not in RESUMABLE:
                continue
            if finished.reason in MODEL_FAULTS and action in (
                "fork",
                _other_model_action(finished),
            ):
                continue  # it has a line of its own, or nothing to fork
            if action == "leave":
                word = self._leave_words(word)
            shown.append((name, word))
        for left_out in LEFT_OUT:
            if _cells(shown) > width:
                shown = [one for one in shown if not one[0].endswith(left_out)]
        line = Text("  ", no_wrap=True)
        for name, word in shown:
            _key(line, name, word, palette).append("   ")
        session = Text(f"session {sanitize_line(self._run_id)}", style=palette.dim, no_wrap=True)
        if line.cell_len + session.cell_len <= width:
            return [line.append_text(session)]
        line.rstrip()
        return [Text("  ", no_wrap=True).append_text(session), line]

    def _leave_words(self, usual: str) -> str:
        """Return what the key bar calls leaving; where it has no room for that key, where the key
        leads."""
        words_for = getattr(self.screen, "words_for", None)
        words: str | None = words_for("leave") if words_for is not None else None
        return usual if words is None else words or leaving_word(self.screen)

    async def on_click(self, event: Click) -> None:
        """Run the action of the clicked word."""
        action: Any = event.style.meta.get(_ACTION)
        if action is not None:
            await self.screen.run_action(str(action))


def _other_model_action(finished: RunFinished) -> str:
    """Return which action tries another model: there is nothing to fork before the first step."""
    return "fork" if finished.totals.steps else "run_again"


def _cells(actions: Sequence[tuple[str, str]]) -> int:
    """Return the columns of a line with these actions."""
    return sum(len(f"{hint(name)} {word}   ") for name, word in actions) - 1


def _key(line: Text, name: str, word: str, palette: Palette) -> Text:
    """Append the key and the clickable word of an action."""
    click = Style(meta={_ACTION: name.partition(".")[2]})
    line.append(f"{hint(name)} ", style=palette.accent + click)
    return line.append(word, style=palette.text + click)


def _last_reply(state: RunState) -> str:
    """Return the beginning of the last reply that has words."""
    replies = (item.text.strip() for item in reversed(state.items) if isinstance(item, ReplyItem))
    return next((text[:MAX_REPLY_CHARS] for text in replies if text), "")


def _from_here(folder: str) -> str:
    """Return the folder as seen from the working directory, if it is below that."""
    path, here = Path(folder).absolute(), working_directory()
    below = path.relative_to(here) if path.is_relative_to(here) else path
    return sanitize_line(str(below))


def _outcome(
    finished: RunFinished, width: int, palette: Palette, said: str, *, is_rebuilt: bool
) -> list[Text]:
    """Return the outcome with the answer, or with the reason for the failure; `said` is the answer
    in the call of `submit`, marked, unless the file holds the same."""
    good = finished.reason == "submitted"
    sign, role = outcome_sign(finished.reason)
    style = palette.of_role(role)
    if finished.reason == "imported":
        line = Text("○ imported  ", style=palette.dim + Style(bold=True))
        return [line.append(UNKNOWN_END, style=palette.dim)]
    head = f"{sign} {finished.reason.replace('_', ' ')}"
    words = ((finished.answer if good else finished.error) or "").strip()
    words = "\n".join(line for line in words.split("\n") if line.strip())
    colour = palette.text if words or not good else palette.dim
    if good and said:
        words = f"{words} {said}" if words else said
    elif good and not words:
        words = f"{NO_ANSWER}: {why_no_answer(finished.answer, is_rebuilt=is_rebuilt)}"
    rows = wrapped(words, max(1, width - len(head) - 2), colour) if words else [Text()]
    more = len(rows) - MAX_ANSWER_LINES
    shown = rows if more <= 0 else rows[: MAX_ANSWER_LINES - 1]
    lines = [Text(" " * (len(head) + 2)).append_text(row) for row in shown]
    lines[0] = Text(f"{head}  ", style=style + Style(bold=True)).append_text(shown[0])
    if more > 0:
        left = f"… {more + 1} more lines"
        lines.append(Text(" " * (len(head) + 2)).append(left, style=palette.dim))
    return [*lines, *_leftover(finished, len(head) + 2, width, palette)]


def _leftover(finished: RunFinished, margin: int, width: int, palette: Palette) -> list[Text]:
    """Return the answer that a run had written when it ended otherwise than by submitting it, on
    one line."""
    if not leftover_answer(finished.reason, finished.answer):
        return []
    line = Text(" " * margin, no_wrap=True).append(f"{NOT_SUBMITTED} ", style=palette.warn)
    room = max(1, width - line.cell_len)
    return [line.append(short_answer(finished.answer or "", room), style=palette.text)]


def _figures(finished: RunFinished) -> str:
    totals = finished.totals
    return run_end.figures(
        steps=totals.steps,
        calls=totals.calls,
        failed_calls=totals.failed_calls,
        interrupted_calls=totals.interrupted_calls,
        tokens=totals.usage.input_tokens + totals.usage.output_tokens,
        estimated=totals.usage.estimated,
        cost=totals.cost,
        seconds=totals.seconds,
    )
