"""The outcome of a run and the place of its results."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.events.types import RunFinished
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette, palette_of


class EndLine(Widget):
    """Two lines, visible once the run has ended; call `sync` after events were applied.

    Args:
        run_id: the session's id.
    """

    DEFAULT_CSS = """
    EndLine { height: 2; padding: 0 1; display: none; background: $panel; }
    EndLine.-ended { display: block; }
    """

    def __init__(self, run_id: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._run_id = run_id
        self._finished: RunFinished | None = None

    def sync(self, state: RunState) -> None:
        """Show the outcome once there is one."""
        if state.finished is not self._finished:
            self._finished = state.finished
            self.set_class(state.finished is not None, "-ended")
            self.refresh()

    @override
    def render(self) -> Text:
        """Outcome and answer; results, session and the next actions."""
        finished = self._finished
        if finished is None:
            return Text()
        palette, width = palette_of(self), max(1, self.content_size.width)
        lines = [_outcome(finished, palette), self._places(finished, palette)]
        for line in lines:
            fit_line(line, width)
        return Text("\n").join(lines)

    def _places(self, finished: RunFinished, palette: Palette) -> Text:
        line = Text("  ", no_wrap=True)
        if finished.output:
            line.append("results in ", style=palette.dim)
            line.append(sanitize_line(finished.output), style=palette.text)
            line.append(" · ", style=palette.dim)
        line.append(f"session {sanitize_line(self._run_id)}", style=palette.dim)
        for action, word in (("live.leave", "leave"), ("live.fork", "fork")):
            line.append(" · ", style=palette.dim).append(f"{hint(action)} ", style=palette.accent)
            line.append(word, style=palette.dim)
        return line


def _outcome(finished: RunFinished, palette: Palette) -> Text:
    good = finished.reason == "submitted"
    sign, style = ("✓", palette.good) if good else ("✗", palette.bad)
    reason = finished.reason.replace("_", " ")
    line = Text(f"{sign} {reason}  ", style=style + Style(bold=True), no_wrap=True)
    words = (finished.answer or "").strip() if good else finished.error or ""
    return line.append(sanitize_line(words), style=palette.text)
