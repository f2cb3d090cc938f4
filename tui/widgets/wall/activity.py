"""The latest activity of a run, in as many lines as a tile has, newest at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.tool_names import SUBMIT
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.command_output import observed
from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, NoteItem, ReplyItem
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.sessions.store.answers import NOT_SUBMITTED, SAID, leftover_answer
from sandbox_tui.tui.format.answers import NO_ANSWER, answer_line, fields_words, why_no_answer
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.run_end import otherwise_words
from sandbox_tui.tui.format.status import (
    next_try_when,
    reply_progress,
    retry_reason,
    short_remark,
    unfinished_reply,
)
from sandbox_tui.tui.format.wrap_cells import last_wrapped, wrap_cells
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.decided_status import decided_status, feedback_words
from sandbox_tui.tui.widgets.preview.growing_markdown import markdown_lines
from sandbox_tui.tui.widgets.preview.markdown_summary import markdown_summary
from sandbox_tui.tui.widgets.wall.fitting.fit_answer import below_answer, fit_beside
from sandbox_tui.tui.widgets.wall.joined_notes import newest_first
from sandbox_tui.tui.widgets.wall.run_groups import said_answer_of
from sandbox_tui.tui.widgets.wall.waiting_call import INDENT, decision_keys, waiting_call_lines

MAX_PROSE_CHARACTERS = 4_000
"""Maximum characters of a reply that are processed; a tile shows fewer."""

MAX_LINE_CHARACTERS = 1_000
"""Maximum characters of an output line that are processed."""

GENEROUS = (8, 4, 2, 0)
"""Output lines per call; the first value with which everything fits is used."""

TALL = 12
"""Minimum height at which a tile shows output of earlier calls that did not fail, and notes on what
the user allowed."""


class Activity:
    """Draws the activity of a run.

    Args:
        run: the run.
        width, height: available cells.
        now: seconds since the run started.
        palette: the palette to draw with.
        preview: what the waiting call would do to the file it edits, if known.
        vote: how many others gave the same answer, in words.
        marks_said: whether an answer that is only in the call of `submit` is marked.
        decides: whether the keys act on this run, and on its waiting call.
    """

    def __init__(
        self,
        run: FoldedRun,
        width: int,
        height: int,
        now: float,
        palette: Palette,
        *,
        preview: EditPreview | None = None,
        vote: str = "",
        marks_said: bool = True,
        decides: bool = True,
    ) -> None:
        self._run = run
        self._decides = decides
        self._preview = preview
        self._vote = vote
        self._mark = SAID if marks_said else ""
        self._state = run.state
        self._width = max(2, width)
        self._height = height
        self._now = now
        replies = (item for item in reversed(run.state.items) if isinstance(item, ReplyItem))
        self._latest_reply = next(replies, None)
        self._least_output = 0
        self._left_out_error = False
        self._spare = 0
        self._palette = palette

    def lines(self) -> list[Text]:
        """Return the lines, at most `height`."""
        if self._height <= 0:
            return []
        end = self._end()
        return [*self._log(self._height - len(end)), *end][-self._height :]

    # --- the result

    def _end(self) -> list[Text]:
        """Return the result, the question to the user, or the state of the model's reply."""
        run, palette, finished = self._run, self._palette, self._state.finished
        if run.failure is not None:
            return self._wrapped(str(run.failure), palette.bad)
        if finished is not None and finished.reason == "submitted":
            answer = sanitize_line(fields_words((finished.answer or "").strip()))
            said = "" if answer else said_answer_of(run)
            if said:
                return self._answer(sanitize_line(fields_words(said)), self._mark)
            if not answer:
                return self._wrapped(f"{NO_ANSWER}: {why_no_answer(finished.answer)}", palette.dim)
            return self._answer(answer, otherwise_words(self._state))
        if finished is not None:
            return self._failure(finished)
        pending = self._state.pending
        if pending is not None:
            return self._question(pending)
        return self._prompt() if self._asks else self._reply()

    def _failure(self, finished: e.RunFinished) -> list[Text]:
        """Return why the run failed, and the answer that it did not submit."""
        lines = self._wrapped(finished.error or "", self._palette.bad)
        left = leftover_answer(finished.reason, finished.answer)
        if left and len(lines) < self._height:
            lines += self._line(f"{NOT_SUBMITTED} {answer_line(left)}", self._palette.dim)
        return lines

    def _answer(self, answer: str, mark: str = "") -> list[Text]:
        """Return the answer, in the colour of doubt if most others gave another, how many agree,
        and the mark: behind it or, if that would cut it, below it."""
        doubtful = self._vote.startswith("only")
        style = self._palette.warn if doubtful else self._palette.good
        lines = self._wrapped(f"answer: {answer}", style)
        dim = self._palette.dim
        mark_style = dim if mark in ("", SAID) else self._palette.warn
        about = Text(no_wrap=True).append(self._vote, style=style if doubtful else dim)
        about.append(f" · {mark}" if self._vote and mark else mark, style=mark_style)
        is_too_long = lines[-1].cell_len + about.cell_len + 3 > self._width
        if about and is_too_long and self._height > len(lines):
            return [*lines, *below_answer(about, self._width, self._height - len(lines))]
        if is_too_long and len(lines) == 1:  # the colour says that it is the answer
            lines = self._wrapped(answer, style)
        is_first, width = mark not in ("", SAID), self._width
        vote, mark = fit_beside(lines[-1], self._vote, mark, width, mark_first=is_first)
        lines[-1].append(f" · {vote}" if vote else "", style=style if doubtful else dim)
        lines[-1].append(f" · {mark}" if mark else "", style=mark_style)
        return lines

    def _reply(self) -> list[Text]:
        """Return how far the model's reply is, and why it did not come before; empty while a call
        runs."""
        reply = unfinished_reply(self._state)
        if reply is None:
            return []
        when, failed = next_try_when(self._state), reply.has_failed
        sign, style = ("!", self._palette.warn) if failed else ("●", self._palette.good)
        words = reply_progress(reply, self._now, when=when)
        line = Text(f"{sign} {words}", style=style, no_wrap=True)
        reason = retry_reason(self._state)
        if reason and self._height < 2:
            line.append(f": {reason}")
        fit_line(line, self._width)
        most = min(3, self._height - 1) if reason else 0
        why = wrap_cells(reason, self._width - 2, most)
        return [line, *(Text(f"  {words}", style=self._palette.warn) for words in why)]

    def _question(self, item: CallItem) -> list[Text]:
        """Return the waiting call, and the keys for the decision if they act on it."""
        keys: list[Text] = []
        if self._decides:
            keys.append(decision_keys(self._width, self._palette, steers=self._run.steers))
        if self._height < 2:
            keys = []
        room = self._height - len(keys)
        lines = waiting_call_lines(item, self._width, room, self._palette, self._preview)
        rule = item.held.rule if item.held is not None else None
        if rule and room - len(lines) > 1:  # a call that is cut is worth more
            lines += self._line(f"{' ' * INDENT}asks: {rule}", self._palette.human)
        return [*lines, *keys]

    @property
    def _asks(self) -> bool:
        """Whether the running command waits for input that the user can type."""
        return self._state.status == "awaiting_input"

    def _prompt(self) -> list[Text]:
        """Return the line with which a command asks for input, and the key that leads there."""
        lines = self._printed_lines(self._run.printed.lines(1), self._palette.human)
        if self._decides and self._height > 1:
            keys = Text(" " * INDENT, no_wrap=True)
            keys.append(hint("wall.open"), style=self._palette.accent + Style(bold=True))
            lines.append(keys.append(" open, to type there", style=self._palette.dim))
        return lines

    def _wrapped(self, words: str, style: Style) -> list[Text]:
        most = max(1, self._height * 2 // 3)
        found = wrap_cells(sanitize_line(words), self._width, most)
        return [Text(line, style=style, no_wrap=True) for line in found]

    # --- the log

    def _log(self, room: int) -> list[Text]:
        """Return the newest items that fit, with more output per call and more of the latest reply
        if there is room."""
        found: list[Text] = []
        self._spare = 0
        for output in GENEROUS:
            self._least_output = output
            self._left_out_error = False
            found = self._newest(room)
            if len(found) < room and not self._left_out_error:
                break
        self._spare = room - len(found)
        return self._newest(room) if self._spare > 0 else found

    def _newest(self, room: int) -> list[Text]:
        found: list[Text] = []
        newest = newest_call = True
        for item in newest_first(self._state.items, self._state.granted):
            left = room - len(found)
            if left <= 0:
                break
            first = newest_call if isinstance(item, CallItem) else newest
            if not newest and left < 2 and self._has_error_line(item):
                self._left_out_error = True
                break  # show no failed call without its error
            block = [] if item is self._state.pending else self._block(item, left, newest=first)
            found[:0] = block[-left:] if newest else block[:left]
            newest = newest and not block
            newest_call = newest_call and not isinstance(item, CallItem)
        return found

    def _block(self, item: Item, room: int, *, newest: bool) -> list[Text]:
        palette = self._palette
        match item:
            case CallItem(call=call, finished=e.CallFinished(ok=True)) if call.name == SUBMIT:
                return []  # the answer already says as much
            case CallItem():
                return self._call(item, room, newest=newest)
            case ReplyItem():
                return self._prose(item, room, newest=newest)
            case HumanItem(withdrawn=True, started=False):
                return []  # nothing came of it
            case HumanItem(withdrawn=True, command=str() as command):
                return self._line(f"you, withdrawn: $ {command}", palette.dim)
            case HumanItem(command=None, file=None):
                return self._line(f"you: {item.text}", palette.human)
            case HumanItem(command=str() as command):
                return self._line(f"you: $ {command}", palette.human)
            case NoteItem() if item.level != "error":
                is_minor = item.level == "yours" or (item.level != "warning" and not newest)
                if is_minor and self._height < TALL:
                    return []  # the lines are for what the run does
                return self._line(
                    item.text, palette.warn if item.level == "warning" else palette.dim
                )
            case _:
                return []

    def _line(self, words: str, style: Style) -> list[Text]:
        found = wrap_cells(sanitize_line(words), self._width, 1)
        return [Text(line, style=style, no_wrap=True) for line in found]

    def _prose(self, item: ReplyItem, room: int, *, newest: bool) -> list[Text]:
        """Return the model's text; while it is still being written, its latest words."""
        text = item.text.strip() or item.reasoning.strip()
        at_end = newest and not item.ended
        part = text[-MAX_PROSE_CHARACTERS:] if at_end else text[:MAX_PROSE_CHARACTERS]
        said = bool(item.text.strip())
        words = markdown_summary(part, self._palette) if said else " ".join(part.split())
        words = sanitize_line(words)
        style = self._palette.model + Style(italic=True)
        is_latest = item is self._latest_reply
        more = self._spare if is_latest else 0
        is_tall = self._height >= TALL  # not the room: neighbours with more calls look alike
        if is_tall and said and is_latest:
            most = max(2, room * 2 // 3 if at_end else room // 2)
            return self._remarked(self._markdown(part, most + more, at_end=at_end), item)
        if at_end:
            found = last_wrapped(words, self._width, max(1, room * 2 // 3) + more)
        else:
            found = wrap_cells(words, self._width, more + (3 if is_tall else 1))
        return self._remarked([Text(line, style=style, no_wrap=True) for line in found], item)

    def _remarked(self, lines: list[Text], item: ReplyItem) -> list[Text]:
        """Append to a reply why it has no call, in the same lines."""
        why = short_remark(item)
        if not why:
            return lines
        if not lines and item.abandoned:
            return []  # what the model says since is newer
        last = lines.pop() if lines else Text(no_wrap=True)
        words = f" · {why}" if last.plain else why
        fit_line(last, max(1, self._width - len(words)))
        return [*lines, last.append(words, style=self._palette.warn)]

    def _markdown(self, text: str, most: int, *, at_end: bool) -> list[Text]:
        """Return the beginning of a text, or its end, with its formatting."""
        lines = [line.copy() for line in markdown_lines(text, self._width, self._palette)]
        if len(lines) <= most:
            return lines
        if at_end:
            return lines[-most:]
        kept = lines[: most - 1]
        while kept and not kept[-1].plain.strip():
            kept.pop()
        return [*kept, Text("…", style=self._palette.dim, no_wrap=True)]

    def _call(self, item: CallItem, room: int, *, newest: bool) -> list[Text]:
        """Return a call with its status and the end of its output."""
        title = self._call_words(item)
        status = self._call_status(item)
        fit_line(title, max(4, self._width - status.cell_len - 1))
        title.pad_right(max(1, self._width - status.cell_len - title.cell_len))
        title.append_text(status)
        if item is self._state.running:
            return [title, *self._so_far(room - 1, self._output_lines(item, newest=newest))]
        return [title, *self._output(item, min(room - 1, self._output_lines(item, newest=newest)))]

    def _output_lines(self, item: CallItem, *, newest: bool) -> int:
        """Return the number of output lines shown: most for the newest call, at least one for
        each failure, least for earlier successes."""
        if newest:
            return max(1, self._height // 3, self._least_output)
        return max(self._least_output, int(_failed(item) or self._height >= TALL))

    def _has_error_line(self, item: Item) -> bool:
        return isinstance(item, CallItem) and _failed(item) and bool(self._output(item, 1))

    def _call_words(self, item: CallItem) -> Text:
        """Return what a call does."""
        title = Text(f"{item.call.number:>2} ", style=self._palette.dim, no_wrap=True)
        title.append(f"{short_name(sanitize_line(item.call.name))}  ", style=self._palette.tool)
        title.append(
            sanitize_line(summarize_call(item.call.name, item.arguments)), style=self._palette.text
        )
        fit_line(title, self._width)
        return title

    def _call_status(self, item: CallItem) -> Text:
        palette = self._palette
        decided = decided_status(item, palette)
        if decided is not None:
            return decided
        if item.finished is not None:
            sign, style = ("✓", palette.good) if item.finished.ok else ("✗", palette.bad)
            return Text(f"{sign} {short_duration(item.finished.duration)}", style=style)
        if item.started_at is None:
            return Text("not run" if item.status == "not_run" else "", style=palette.dim)
        since = max(0.0, self._now - item.started_at)
        words = f"{int(since)}s" if since < 60 else short_duration(since)  # tenths would flicker
        return Text(f"● {words}", style=palette.good)

    def _output(self, item: CallItem, lines: int) -> list[Text]:
        if item.finished is None or lines <= 0:
            return []
        if decided_status(item, self._palette) is not None:
            return self._feedback(item)
        out, err = observed(item.finished.observation)
        printed = [line for line in f"{out}\n{err}".split("\n") if line.strip()]
        style = self._palette.bad if _failed(item) else self._palette.dim
        return self._printed_lines(printed[-lines:], style)

    def _so_far(self, room: int, lines: int) -> list[Text]:
        """Return what the running call has printed last, in these lines and in those that would
        stay empty."""
        in_prompt = int(self._asks)
        printed = self._run.printed.lines(min(room, lines + self._spare) + in_prompt)
        found = printed[: len(printed) - in_prompt]
        self._spare -= max(0, len(found) - lines)
        return self._printed_lines(found, self._palette.dim)

    def _printed_lines(self, printed: Sequence[str], style: Style) -> list[Text]:
        found: list[Text] = []
        for raw in printed:
            words = sanitize_line(raw.rstrip()[:MAX_LINE_CHARACTERS])
            line = Text(f"{' ' * INDENT}{words}", style=style, no_wrap=True)
            fit_line(line, self._width)
            found.append(line)
        return found

    def _feedback(self, item: CallItem) -> list[Text]:
        """Return what the user wrote with a decision."""
        words = feedback_words(item)
        line = Text(f"   {words}", style=self._palette.dim, no_wrap=True)
        fit_line(line, self._width)
        return [line] if words else []


def _failed(item: CallItem) -> bool:
    return item.status == "failed"
