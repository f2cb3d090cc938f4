"""The dialog with the waiting calls of many runs, to decide about them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.message import Message
from textual.widgets import OptionList, Static

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.wall.fitting.fit_names import SEPARATOR, fit_names
from sandbox_tui.tui.widgets.wall.waiting_call import waiting_call_lines

MAX_WIDTH = 120
"""Columns of the dialog on a wide screen."""

MIN_NAMES = 16
"""Minimum cells of the names of runs."""

WHOLE_SHARE = 4
"""The highlighted call takes at most one in this many lines of the screen."""

AROUND = 7
"""Lines of the dialog besides the two lists: its border, the blank line, and the key bar."""


class WaitingCall(NamedTuple):
    """A call that waits.

    Attributes:
        run: the number of its run on the wall.
        item: the call.
        preview: what it would do to the file it edits, if known.
        has_draft: whether an edit of it was left unfinished.
        names: what to call its run, such as its task and its model.
        task: the one of these that is cut first.
    """

    run: int
    item: CallItem
    preview: EditPreview | None = None
    has_draft: bool = False
    names: Sequence[str] = ()
    task: str = ""


class Decision(NamedTuple):
    """A decision about calls.

    Attributes:
        verdict: what to do with them.
        chosen: which of the listed calls, by their places.
        why: the reason for a rejection.
    """

    verdict: Literal["approve", "reject"]
    chosen: Sequence[int]
    why: str = ""


class DecideAboutAllDialog(ExplainsUnavailable, Dialog[Decision | None]):
    """Lists waiting calls, each with a tick; a decision is about the ticked ones of these.

    A call whose edit was left as a draft is not ticked at first: approving it would drop the draft.

    Args:
        calls: those that waited when the dialog was opened; it lists no others.
    """

    CSS = """
    DecideAboutAllDialog .dialog { width: 96%; max-width: 120; padding: 0 1; }
    DecideAboutAllDialog OptionList {
        height: auto; padding: 0; border: none; background: $surface;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    DecideAboutAllDialog #whole-call { height: auto; margin: 1 0 0 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("decide_all.approve", "decide('approve')"),
        binding("decide_all.reject", "decide('reject')"),
        binding("decide_all.choose", "choose", priority=True),
        binding("decide_all.leave", "dismiss(None)"),
    ]

    urgent_actions = ("decide('approve')",)
    """On a narrow screen the key bar keeps this key."""

    def __init__(self, calls: Sequence[WaitingCall]) -> None:
        super().__init__()
        self._calls = calls
        self._ticked = {place for place, call in enumerate(calls) if not call.has_draft}
        self._asked_at = Message().time
        self._is_typed_ahead = False
        names = {SEPARATOR.join(call.names) for call in calls}
        self._shared_name = names.pop() if len(names) == 1 else ""
        self._number_cells = max((len(str(call.run)) for call in calls), default=1)
        self._name_cells = max((cell_len(SEPARATOR.join(call.names)) for call in calls), default=0)

    def compose(self) -> ComposeResult:
        """Yield one line per call, and the highlighted one below them."""
        with Vertical(classes="dialog"):
            yield OptionList(id="waiting-calls")
            yield Static(id="whole-call")
        yield KeyBar()

    def on_mount(self) -> None:
        """List the calls."""
        options = self.query_one(OptionList)
        options.add_options([self._line(place) for place in range(len(self._calls))])
        options.highlighted = 0
        self.set_focus(options)
        self._say_how_many()

    def on_resize(self) -> None:
        """Fit the lists to the screen."""
        room = max(2, self.size.height - AROUND)
        options = self.query_one(OptionList)
        options.styles.max_height = max(1, room - self._most_of_whole)
        for place in range(options.option_count):
            options.replace_option_prompt_at_index(place, self._line(place))
        self.call_after_refresh(self._show_whole)

    @property
    def _most_of_whole(self) -> int:
        """Maximum number of lines of the highlighted call."""
        return max(2, self.size.height // WHOLE_SHARE)

    @property
    def _most_of_names(self) -> int:
        """Maximum cells of what tells the runs apart: the call is worth more."""
        return max(MIN_NAMES, min(self.size.width, MAX_WIDTH) * 2 // 5)

    def _line(self, place: int) -> Text:
        call, palette = self._calls[place], palette_of(self)
        tick = "[x]" if place in self._ticked else "[ ]"
        line = Text(f"{tick} ", style=palette.accent, no_wrap=True, overflow="ellipsis")
        line.append(f"run {call.run:<{self._number_cells}}  ", style=palette.strong)
        if not self._shared_name:
            cells = min(self._name_cells, self._most_of_names)
            line.append(f"{set_cell_size(fit_names(call.names, call.task, cells), cells)}  ")
        line.append(f"{short_name(sanitize_line(call.item.call.name))}  ", style=palette.tool)
        if call.preview is not None and call.preview.problem:
            line.append("! would fail  ", style=palette.warn)
        if call.has_draft:
            line.append("your draft is not sent  ", style=palette.warn)
        words = sanitize_line(summarize_call(call.item.call.name, call.item.arguments))
        return line.append(words, style=palette.text)

    def _say_how_many(self) -> None:
        box, count = self.query_one(".dialog"), len(self._calls)
        left_out = count - len(self._ticked)
        shared = f" · {self._shared_name}" if self._shared_name else ""
        box.border_title = Content(numbers.counted(count, "waiting call") + shared)
        words = f" · {len(self._ticked)} ticked" if left_out else ""
        keys = f"{hint('decide_all.approve')} approve · {hint('decide_all.leave')} cancel"
        box.border_subtitle = f"{keys}{words}{self._position}"
        self.refresh_bindings()

    @property
    def _position(self) -> str:
        """Which call is highlighted, if there is no room for all."""
        options, count = self.query_one(OptionList), len(self._calls)
        is_cut = 0 < options.size.height < count and options.highlighted is not None
        return f" · {(options.highlighted or 0) + 1}/{count}" if is_cut else ""

    @on(OptionList.OptionHighlighted)
    def _show_whole(self) -> None:
        """Show the highlighted call with as much of it as there is room for."""
        self._say_how_many()
        place, whole = self.query_one(OptionList).highlighted, self.query_one("#whole-call", Static)
        width = self.query_one(".dialog").content_size.width
        if place is None or width <= 0:
            return
        call = self._calls[place]
        label = f"run {call.run} · call {call.item.call.number}"
        lines = waiting_call_lines(
            call.item, width, self._most_of_whole, palette_of(self), call.preview, label
        )
        whole.update(Text("\n").join(lines))

    # --- keys

    def on_key(self, event: Key) -> None:
        """Note whether a key was pressed before the calls were shown."""
        self._is_typed_ahead = event.time < self._asked_at

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """A decision needs a call."""
        return "" if action != "decide" or self._ticked else "no call is ticked"

    def words_for(self, action: str) -> str | None:
        """The key bar's words for an action; None for the binding's own description."""
        if action == "choose":
            place = self.query_one(OptionList).highlighted
            return "leave out" if place in self._ticked else "tick"
        return f"approve {len(self._ticked)}" if action == "decide('approve')" else None

    def action_choose(self) -> None:
        """Tick the highlighted call, or leave it out."""
        options = self.query_one(OptionList)
        place = options.highlighted
        if place is not None:
            self._ticked ^= {place}
            options.replace_option_prompt_at_index(place, self._line(place))
            self._say_how_many()

    def action_decide(self, verdict: Literal["approve", "reject"]) -> None:
        """Close with a decision about the ticked calls; a key typed ahead was no answer."""
        if not self._ticked or self._is_typed_ahead:
            return
        if verdict == "reject":
            self._ask_why(sorted(self._ticked))
        else:
            self.dismiss(Decision(verdict, sorted(self._ticked)))

    def _ask_why(self, chosen: Sequence[int]) -> None:
        """Close with a rejection; without a reason, the list is shown again as it was."""

        def answered(why: str | None) -> None:
            if why is not None:  # the question is still on top
                app_of(self).call_later(self.dismiss, Decision("reject", chosen, why))

        dialog = PromptDialog(
            f"reject {numbers.counted(len(chosen), 'call')}",
            placeholder="reason · the models read this instead of the results",
            enter_words="send",
        )
        app_of(self).push_screen(dialog, answered)
