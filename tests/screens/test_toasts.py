from __future__ import annotations

from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static
from textual.widgets._toast import Toast

from sandbox_tui.tui.textual_support.toasts import DedupedToasts


class Speaker(DedupedToasts[None]):
    def compose(self) -> ComposeResult:
        yield Static("a screen")


async def shown(app: Speaker, pilot: Pilot[None]) -> list[str]:
    await pilot.pause()
    await pilot.pause()
    return [toast._notification.message for toast in app.screen.query(Toast)]


async def test_the_same_words_are_there_once_and_others_beside_them() -> None:
    app = Speaker()
    async with app.run_test(size=(160, 45), notifications=True) as pilot:
        for _ in range(12):
            app.notify("This run is over.", timeout=60)
        app.notify("Another thing.", timeout=60)
        app.notify("This run is over.", title="but with a title", timeout=60)
        words = ["This run is over.", "Another thing.", "This run is over."]
        assert await shown(app, pilot) == words


async def test_the_oldest_make_room() -> None:
    app = Speaker()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        for number in range(12):
            app.notify(f"words {number}\nand more", timeout=60)
        words = await shown(app, pilot)
        assert words == ["words 10\nand more", "words 11\nand more"]
        assert all(toast.region.y >= 15 for toast in app.screen.query(Toast))
        app.notify("long " * 400, timeout=60)
        assert await shown(app, pilot) == ["long " * 400]


async def test_one_toast_is_withdrawn_and_the_others_stay() -> None:
    app = Speaker()
    async with app.run_test(size=(100, 60), notifications=True) as pilot:
        app.notify("disk is full", title="the run waits", timeout=1000)
        app.notify("another thing", timeout=1000)
        await pilot.pause()
        app.remove_shown_toast("disk is full", "the run waits")
        await pilot.pause()
        assert await shown(app, pilot) == ["another thing"]
