"""Create the pictures and the film of the README and the docs from real runs of the demo.

    python docs/screenshots.py [FOLDER [NAME...]]

The demo runs in any sandbox that this machine has. With names, only those pictures are created. The
pictures are Textual's SVG screenshots; the film and the terminal recording are the program's own
exports.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
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
from sandbox_tui.sessions.store.tables import annotations
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.format.self_contained_svg import self_contained
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.compare.comparison_rows import ComparisonRows
from sandbox_tui.tui.screens.home.demo_request import demo_request
from sandbox_tui.tui.widgets.calls.end_card import EndCard
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.wall.run_tile import RunTile

SIZES = ((160, 45), (100, 30), (60, 20))

SETTINGS = {
    "ui.images": "blocks",
    "model.name": "qwen3-coder",
    "model.base_url": "http://127.0.0.1:8000/v1",
}
"""Settings of the program in the pictures: somebody's own model, so that none is looked for."""

TITLES: dict[str, tuple[str, ...]] = {
    "finished": ("Harbours: largest fall in grain", "baseline"),
    "short": ("Harbours with seven steps at most", "baseline"),
    "reading": ("Harbours: stopped to read the plan",),
    "running": ("Harbours: stopped at step 7",),
    "waiting": ("Harbours, step by step", "todo"),
    "editing": ("Harbours with an edited first call", "todo"),
    "end": ("Harbours: largest fall, with a chart", "good"),
    "wall": ("Harbours", "sweep"),
    "error": ("Harbours with qwen3-coder",),
}
"""Title and tags of the sessions that each picture records."""


async def until(done: Callable[[], bool], pause: Callable[..., object]) -> None:
    """Let the program run until `done()` holds."""
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
    until_shown: Callable[[Screen[object]], bool] = lambda screen: True,
    keep: bool = True,
) -> None:
    """Take one picture.

    Args:
        folder: output folder.
        name: name of the picture.
        store: database with the sessions.
        size: columns and rows.
        begin: runs to start, or a session to replay; None for the home screen.
        ready: whether the screen is ready for the keys.
        keys: keys to press, one after the other.
        until_shown: whether the screen shows what the picture should show.
        keep: whether to write the picture.
    """
    app = SandboxTui(load(SETTINGS), store, begin)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause(0.2)
        await until(lambda: ready(app.screen), pilot.pause)
        await pilot.press(*keys)
        await until(lambda: until_shown(app.screen), pilot.pause)
        await pilot.pause(0.4)
        if keep:
            drawn = self_contained(app.export_screenshot(title="sandbox-tui"))
            (folder / f"{name}-{size[0]}x{size[1]}.svg").write_bytes(drawn)
        await app.runs.stop("The picture is taken.")


async def main(folder: Path, only: Sequence[str] = ()) -> None:
    """Take all pictures, each in three sizes.

    Args:
        folder: output folder.
        only: names of pictures; if empty, all of them and the film.
    """
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(tempfile.mkdtemp())
    store = Store(Path("sessions.db").absolute())
    kind = os.environ.get("SANDBOX", "bubblewrap")
    settings = load({"sandbox.kind": kind})
    unreachable = {"model.base_url": "http://127.0.0.1:9/v1", "limits.max_attempts": 3}
    nowhere = load({"model.name": "qwen3-coder", **unreachable})

    def demo(step: bool = False, speed: float = 4, max_steps: int = 100) -> RunRequest:
        given = {"limits.max_steps": max_steps}
        return demo_request(settings, speed=speed, mode="step" if step else "auto", given=given)

    def refused() -> RunRequest:
        return replace(
            demo(), model=None, settings=replace_struct(nowhere, sandbox=settings.sandbox)
        )

    async def take(
        name: str,
        size: tuple[int, int],
        begin: Sequence[RunRequest] | RunSummary | None,
        ready: Callable[[Screen[object]], bool],
        *keys: str,
        until_shown: Callable[[Screen[object]], bool] = lambda screen: True,
    ) -> None:
        if not only or name in only:
            await picture(folder, name, store, size, begin, ready, *keys, until_shown=until_shown)
            entitle(store, name)

    await picture(folder, "finished", store, SIZES[0], [demo(speed=1)], _ended, keep=False)
    entitle(store, "finished")
    done = store.runs(limit=1)[0]
    if not only:
        film(folder, done.id)
    await picture(folder, "short", store, SIZES[0], [demo(max_steps=7)], _ended, keep=False)
    entitle(store, "short")
    marked = ("space", "down", "space", "c")
    for size in SIZES:  # while these are the only two sessions
        await take("compare", size, None, _listed, *marked, until_shown=_compared)
    for size in SIZES:
        await take("reading", size, [demo(speed=1)], _reading)
        await take("running", size, [demo()], _running)
        await take("waiting", size, [demo(step=True)], _waiting)
        await take("editing", size, [demo(step=True)], _waiting, "e")
        await take("end", size, [demo()], _ended, until_shown=_results_listed)
        await take("replay", size, done, _ended, "space", "n", "right")
        eight = [demo(step=n in (2, 5), speed=0.7 + 0.5 * n) for n in range(8)]
        await take("wall", size, eight, _some_submitted)
        await take("error", size, [refused()], _ended)
        await take("home", size, None, _listed)
        await take("new-run", size, None, _listed, "n")
        await take("help", size, done, _ended, "?")
        await take("palette", size, done, _ended, "ctrl+p")
    store.close()


def entitle(store: Store, name: str) -> None:
    """Title and tag the new sessions of a picture, so that the session list is readable."""
    untitled = [run for run in store.runs() if run.title is None]
    for number, run in enumerate(reversed(untitled), 1):
        title, *tags = TITLES[name]
        store.rename(run.id, f"{title}, sample {number}" if len(untitled) > 1 else title)
        annotations.set_tags(store, run.id, tags)


def film(folder: Path, run_id: str) -> None:
    """Export a session as a film and its terminal as an asciicast, as a user would."""
    program = Path(sys.executable).with_name("sandbox-tui")
    export = [program, "sessions", "export", run_id, "--force"]
    home = {**os.environ, "SANDBOX_TUI_HOME": str(Path.cwd())}
    for arguments in (
        ("-f", "film", "--size", "120x34", "-o", folder / "demo.film.svg"),
        ("-f", "asciicast", "-o", folder / "demo.cast"),
    ):
        subprocess.run([*export, *arguments], env=home, check=True)


def _running(screen: Screen[object]) -> bool:
    """Whether the demo is half done and a call runs."""
    return isinstance(screen, Cockpit) and (
        len(screen.state.calls) >= 7 and screen.state.running is not None
    )


def _reading(screen: Screen[object]) -> bool:
    """Whether the model is writing a long reply."""
    return isinstance(screen, Cockpit) and len(screen.state.calls) == 7 and _is_long(screen)


def _is_long(screen: Cockpit) -> bool:
    reply = screen.state.reply
    return reply is not None and len(reply.text) + len(reply.reasoning) > 60


def _ended(screen: Screen[object]) -> bool:
    return not isinstance(screen, Cockpit) or screen.state.finished is not None


def _listed(screen: Screen[object]) -> bool:
    """Whether the home screen has loaded its sessions."""
    return any(sessions.block_count() > 1 for sessions in screen.query(SessionList))


def _compared(screen: Screen[object]) -> bool:
    return any(bool(rows.rows) for rows in screen.query(ComparisonRows))


def _results_listed(screen: Screen[object]) -> bool:
    return any("answer.txt" in str(card.render()) for card in screen.query(EndCard))


def _waiting(screen: Screen[object]) -> bool:
    return isinstance(screen, Cockpit) and screen.state.pending is not None


def _some_submitted(screen: Screen[object]) -> bool:
    return sum(tile.kind == "submitted" for tile in screen.query(RunTile)) >= 3


if __name__ == "__main__":
    here = Path(__file__).parent / "images"
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=here, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    asyncio.run(main(given.folder.absolute(), given.names))
