"""The evaluations, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.sessions.session_rows import ago

BAR_CELLS = 12


class EvalList(BlockList):
    """Shows summaries, two lines each: what was evaluated, and how far it came."""

    DEFAULT_CSS = """
    EvalList {
        height: 1fr; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="evals")
        self._found: Sequence[EvalSummary] | None = None
        self.following = False
        self.border_title = "evaluations"

    def show(self, found: Sequence[EvalSummary]) -> None:
        """Show evaluations; the cursor stays on its one."""
        here = self.current
        self._found = found
        self.following = False
        self.reset()
        ids = [one.info.id for one in found]
        if here is not None and here.info.id in ids:
            self.cursor = ids.index(here.info.id)
        elif found and self.cursor < 0:
            self.cursor = 0
        self.border_title = f"evaluations {len(found)}"
        self.border_subtitle = f"{hint('list.open')} opens" if found else None

    @property
    def current(self) -> EvalSummary | None:
        """The evaluation under the cursor."""
        found = self._found or ()
        return found[self.cursor] if 0 <= self.cursor < len(found) else None

    @property
    def is_read(self) -> bool:
        """Whether it shows what is there."""
        return self._found is not None

    @override
    def block_count(self) -> int:
        return len(self._found or ()) or 1

    @override
    def block_height(self, index: int, width: int) -> int:
        return 2

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        if not self._found:
            words = "" if self._found is None else _NOTHING
            return [Text(), Text(f"  {words}", style=palette.dim)]
        return _lines(self._found[index], width, palette)


_NOTHING = "No evaluation yet: `sandbox-tui eval run pocket` makes one."


def _lines(found: EvalSummary, width: int, palette: Palette) -> list[Text]:
    info, when = found.info, ago(found.info.began_at)
    sign, style = _sign(found, palette)
    first = Text(f" {sign} ", style=style, no_wrap=True)
    first.append(sanitize_line(info.suite), style=palette.text)
    first.append(f"  {sanitize_line(info.model)}", style=palette.strong)
    room = max(1, width - len(when) - 2)
    first.truncate(room, overflow="ellipsis")
    first.pad_right(max(0, room - first.cell_len) + 1)
    first.append(when, style=palette.dim)
    second = Text("   ", no_wrap=True)
    done = round(BAR_CELLS * found.over / found.samples) if found.samples else 0
    second.append("━" * done, style=palette.good)
    second.append("─" * (BAR_CELLS - done), style=palette.faint)
    parts = [
        f"  {found.over} of {numbers.counted(found.samples, 'sample')}",
        found.status,
        ", ".join(info.modes),
        info.id,
        sanitize_line(found.stopped_because),
    ]
    second.append(" · ".join(part for part in parts if part), style=palette.dim)
    second.truncate(width, overflow="ellipsis")
    return [first, second]


def _sign(found: EvalSummary, palette: Palette) -> tuple[str, Style]:
    if found.status == "running":
        return "●", palette.good
    return ("✓", palette.good) if found.status == "finished" else ("◌", palette.warn)
