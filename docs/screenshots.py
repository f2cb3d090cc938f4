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
from dataclasses import replace
from pathlib import Path

from msgspec.structs import replace as replace_struct
from textual.screen import Screen

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.home.demo_request import demo_request
from sandbox_tui.tui.widgets.sessions.run_tile import RunTile

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
    ready: Callable[[Screen[object]], bool],
    *keys: str,
    keep: bool = True,
) -> None:
    """One picture of one moment."""
    app = SandboxTui(load({"ui.images": "blocks"}), store, begin)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause(0.2)
        await until(lambda: ready(app.screen), pilot.pause)
        await pilot.press(*keys)
        await pilot.pause(0.4)
        if keep:
            app.save_screenshot(f"{name}-{size[0]}x{size[1]}.svg", str(folder))
        await app.runs.stop("The picture is taken.")


async def main(folder: Path) -> None:
    """All pictures, each in three sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(tempfile.mkdtemp())
    store = Store(Path("sessions.db").absolute())
    kind = os.environ.get("SANDBOX", "auto")
    settings = load({"sandbox.kind": kind})
    nowhere = load({"model.name": "qwen3-coder", "model.base_url": "http://127.0.0.1:9/v1"})

    def demo(step: bool = False, speed: float = 4) -> RunRequest:
        return demo_request(settings, speed=speed, mode="step" if step else "auto")

    def refused() -> RunRequest:
        return replace(
            demo(), model=None, settings=replace_struct(nowhere, sandbox=settings.sandbox)
        )

    await picture(folder, "finished", store, SIZES[0], [demo()], _ended, keep=False)
    done = store.runs(limit=1)[0]
    for size in SIZES:
        await picture(folder, "running", store, size, [demo()], _running)
        await picture(folder, "waiting", store, size, [demo(step=True)], _waiting, "e")
        await picture(folder, "replay", store, size, done, _ended, "space", "n", "right")
        eight = [demo(step=n in (2, 5), speed=0.7 + 0.5 * n) for n in range(8)]
        await picture(folder, "wall", store, size, eight, _some_submitted)
        await picture(folder, "error", store, size, [refused()], _ended)
        await picture(folder, "home", store, size, None, _ended)
    store.close()


def _running(screen: Screen[object]) -> bool:
    """In the middle of the demo, with a call under way."""
    return isinstance(screen, Cockpit) and (
        len(screen.state.calls) >= 7 and screen.state.running is not None
    )


def _ended(screen: Screen[object]) -> bool:
    return not isinstance(screen, Cockpit) or screen.state.finished is not None


def _waiting(screen: Screen[object]) -> bool:
    return isinstance(screen, Cockpit) and screen.state.pending is not None


def _some_submitted(screen: Screen[object]) -> bool:
    return sum(tile.kind == "submitted" for tile in screen.query(RunTile)) >= 3


if __name__ == "__main__":
    here = Path(__file__).parent / "images"
    asyncio.run(main(Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else here))
