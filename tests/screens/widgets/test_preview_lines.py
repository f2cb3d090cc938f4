"""The lines of a preview, from the first frame."""

from __future__ import annotations

from textual.app import App, ComposeResult
from typing_extensions import override

from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.preview.document import Notice
from sandbox_tui.tui.widgets.preview.lines import PreviewLines

WORDS = "The selected file is shown here."


class Watched(PreviewLines):
    """Records the lines at each layout."""

    def __init__(self) -> None:
        self.seen: list[list[str]] = []
        super().__init__()

    @override
    def reset(self) -> None:
        super().reset()
        self.seen.append(self.plain)


class Demo(App[None]):
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield Watched()

    def on_mount(self) -> None:
        self.query_one(Watched).show(Notice(WORDS), keep_place=False)


async def test_a_sentence_is_never_drawn_before_there_is_room_for_it() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        lines = app.query_one(Watched)
        assert lines.plain == [WORDS]
        assert all(seen in ([], [WORDS]) for seen in lines.seen)
