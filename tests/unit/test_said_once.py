from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Static
from textual.widgets._toast import Toast

from sandbox_tui.tui.said_once import SaidOnce


class Speaker(SaidOnce[None]):
    def compose(self) -> ComposeResult:
        yield Static("a screen")


async def test_the_same_words_are_there_once_and_others_beside_them() -> None:
    app = Speaker()
    async with app.run_test(notifications=True) as pilot:
        for _ in range(12):
            app.notify("This run is over.", timeout=60)
        app.notify("Another thing.", timeout=60)
        app.notify("This run is over.", title="but with a title", timeout=60)
        await pilot.pause()
        await pilot.pause()
        assert len(app.screen.query(Toast)) == 3
