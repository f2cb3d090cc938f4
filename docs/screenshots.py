"""Makes the pictures of the README from real runs of the demo.

    python docs/screenshots.py [FOLDER]

Runs the demo in whatever sandbox this machine has and exports Textual's SVG screenshots.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from sandbox_tui.core.config import load
from sandbox_tui.core.launch import RunRequest
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.demo import demo_request
from sandbox_tui.tui.screens.cockpit import Cockpit
from sandbox_tui.tui.screens.live import LiveScreen

SIZES = ((160, 45), (100, 30), (60, 20))


async def until(done: Callable[[], bool], pause: Callable[..., object]) -> None:
    """Let the program work until something is so."""
    for _ in range(3000):
        if done():
            return
        await pause(0.05)  # type: ignore[misc]
    raise TimeoutError


async def picture(
    folder: Path,
    name: str,
    store: Store,
    size: tuple[int, int],
    begin: Sequence[RunRequest] | RunSummary | None,
    ready: Callable[[Cockpit], bool],
    *keys: str,
    theme: str | None = None,
) -> None:
    """One picture of one moment."""
    app = SandboxTui(load({"ui.theme": theme}), store, begin)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause(0.2)
        screen = app.screen
        if isinstance(screen, Cockpit):
            await until(lambda: ready(screen), pilot.pause)
        await pilot.press(*keys)
        await pilot.pause(0.4)
        app.save_screenshot(f"{name}-{size[0]}x{size[1]}.svg", str(folder))
        if isinstance(screen, LiveScreen) and screen.run is not None:
            await screen.worker.stop("The picture is taken.")


async def main(folder: Path) -> None:
    """All pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(tempfile.mkdtemp())
    store = Store(Path("sessions.db").absolute())
    settings = load({"sandbox.kind": os.environ.get("SANDBOX", "auto")})

    def demo(step: bool = False) -> list[RunRequest]:
        return [demo_request(settings, speed=4, mode="step" if step else "auto")]

    def running(screen: Cockpit) -> bool:
        return len(screen.state.calls) >= 7 and screen.state.running is not None

    def ended(screen: Cockpit) -> bool:
        return screen.state.finished is not None

    def waiting(screen: Cockpit) -> bool:
        return screen.state.pending is not None

    await picture(folder, "finished", store, SIZES[0], demo(), ended)
    for size in SIZES:
        await picture(folder, "running", store, size, demo(), running)
    await picture(folder, "waiting", store, SIZES[0], demo(step=True), waiting, "e")
    last = store.runs(limit=20)[-1]
    for size in SIZES:
        await picture(folder, "replay", store, size, last, ended, "space", "n")
    for size in SIZES:
        await picture(folder, "home", store, size, None, ended)
    await picture(folder, "new-run", store, SIZES[1], None, ended, "n")
    await picture(folder, "daylight", store, SIZES[0], last, ended, "dollar_sign", theme="daylight")
    store.close()


if __name__ == "__main__":
    here = Path(__file__).parent / "images"
    asyncio.run(main(Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else here))
