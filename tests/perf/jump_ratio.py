"""What a jump costs in a long session beside a short one, and the home screen with many sessions.

    python -m tests.perf.jump_ratio [--short 10] [--long 10000] [--jumps 40] [--rounds 3]

Two figures, each as a ratio of medians, taken in turns A B A B in one process; we hold ourselves
to at most 2 for each:

    jump    on the replay screen: from the key until the panes are drawn
    home    from opening the home screen until the list is drawn, with 2,000 sessions and with 20

And one that is a part of the first, for which a short session has less to read: it has fewer items
than a screen shows.

    moment  state and terminals, read and folded, with the items the list of calls takes

A jump goes to any event with the same likelihood. Keyframes are made before, as when a run is
recorded; what they cost is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from textual.screen import Screen

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.playback.keyframes import catch_up, playback_state_at
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.widgets.calls.call_list import WINDOW_ITEMS
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.perf.made_sessions import fill
from tests.unit.event_streams import started

MOST = 2.0
MANY, FEW = 2000, 20


def prepare(store: Store, steps: int) -> str:
    """Store a session with its keyframes; says what that took."""
    run_id = f"steps-{steps}"
    began, before = time.perf_counter(), size(store)
    events = fill(store, run_id, steps)
    filled, between = time.perf_counter(), size(store)
    catch_up(store, run_id)
    took = time.perf_counter() - filled
    print(
        f"{steps:>6} steps, {events:>7} events: recorded in {filled - began:5.1f} s, "
        f"{(between - before) / 1e6:5.1f} MB; keyframes {took:5.1f} s, "
        f"{(size(store) - between) / 1e6:5.1f} MB more"
    )
    return run_id


def size(store: Store) -> int:
    """Bytes of the database that hold something."""
    row = store.rows(
        "SELECT (page_count - freelist_count) * page_size AS n"
        " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
    )
    return int(row[0]["n"])


def moments(store: Store, run_id: str, jumps: int, chance: random.Random) -> list[float]:
    """Seconds of each jump without a screen."""
    last = store.run(run_id).last_seq
    taken: list[float] = []
    for _ in range(jumps):
        seq = chance.randint(1, last)
        began = time.perf_counter()
        playback = playback_state_at(store, run_id, seq)
        assert playback.seq == seq
        list(playback.state.items[-WINDOW_ITEMS:])
        taken.append(time.perf_counter() - began)
    return taken


async def jumps_on_screen(
    app: SandboxTui, store: Store, run_id: str, jumps: int, chance: random.Random
) -> list[float]:
    """Seconds of each jump on the replay screen."""
    summary = store.run(run_id)
    screen = ReplayScreen(summary, store, playing=False)
    await app.push_screen(screen)
    await shown(screen, summary.last_seq)
    taken: list[float] = []
    for _ in range(jumps):
        seq = chance.randint(1, summary.last_seq)
        began = time.perf_counter()
        screen.seek(seq)
        await shown(screen, seq)
        taken.append(time.perf_counter() - began)
    screen.dismiss(None)
    await drawn(app.screen)
    return taken


async def shown(screen: ReplayScreen, seq: int) -> None:
    """Until this moment is on the screen."""
    while screen.position != seq:
        await asyncio.sleep(0)
    await drawn(screen)


async def drawn(screen: Screen[object]) -> None:
    """Until the screen has been drawn."""
    done = asyncio.Event()
    screen.call_after_refresh(done.set)
    await done.wait()


async def homes(store: Store, rounds: int) -> list[float]:
    """Seconds until the home screen shows the sessions."""
    app = SandboxTui(Settings(), store)
    taken: list[float] = []
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.pause()
        for _ in range(rounds):
            screen = HomeScreen(LiveSettings(Settings()), RunRegistry(store))
            began = time.perf_counter()
            await app.push_screen(screen)
            while screen.query_one(SessionList).current is None:
                await asyncio.sleep(0)
            await drawn(screen)
            taken.append(time.perf_counter() - began)
            app.pop_screen()
            await pilot.pause()
    return taken


def many_sessions(store: Store, count: int) -> None:
    """Store so many small sessions that ended."""
    for number in range(count):
        name = f"session-{number:05}"
        first = started(name, task=f"task number {number}", started_at=1000.0 + number)
        end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
        store.append(name, [msgspec.structs.replace(first, run_id=name), end])


def report(
    name: str, long: list[float], short: list[float], words: tuple[str, str], most: float = MOST
) -> bool:
    """Print medians and their ratio; whether it is held."""
    a, b = statistics.median(long), statistics.median(short)
    met = a / b <= most
    said = "" if math.isinf(most) else f"(at most {most:g})   {'ok' if met else 'MISSED'}"
    print(
        f"{name:7} {words[0]} {a * 1e3:7.2f} ms (worst {max(long) * 1e3:6.1f})   "
        f"{words[1]} {b * 1e3:7.2f} ms (worst {max(short) * 1e3:6.1f})   "
        f"ratio {a / b:4.2f} {said}"
    )
    return met


async def measure(folder: Path, given: argparse.Namespace) -> bool:
    """Measure all three; whether both bounds are held."""
    store = Store(folder / "sessions.db")
    short, long = prepare(store, given.short), prepare(store, given.long)
    chance = random.Random(7)
    taken: dict[tuple[str, str], list[float]] = {}
    for run_id in (long, short) * given.rounds:
        found = moments(store, run_id, given.jumps, chance)
        taken.setdefault(("moment", run_id), []).extend(found)
    app = SandboxTui(Settings(), store)
    async with app.run_test(size=(160, 45)):
        for run_id in (long, short) * given.rounds:
            found = await jumps_on_screen(app, store, run_id, given.jumps, chance)
            taken.setdefault(("jump", run_id), []).extend(found)
    store.close()
    words = (f"{given.long} steps", f"{given.short} steps")
    met = [
        report(name, taken[name, long], taken[name, short], words, most)
        for name, most in (("moment", math.inf), ("jump", MOST))
    ]
    stores = {count: Store(folder / f"{count}.db") for count in (MANY, FEW)}
    opened: dict[int, list[float]] = {MANY: [], FEW: []}
    for count, one in stores.items():
        many_sessions(one, count)
    for count in (MANY, FEW) * given.rounds:
        opened[count] += await homes(stores[count], 5)
    for one in stores.values():
        one.close()
    met.append(report("home", opened[MANY], opened[FEW], (f"{MANY} sessions", f"{FEW} sessions")))
    return all(met)


def main() -> None:
    """Run it; exit code 1 when a ratio is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--short", type=int, default=10)
    parser.add_argument("--long", type=int, default=10_000)
    parser.add_argument("--jumps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        sys.exit(0 if asyncio.run(measure(Path(folder), given)) else 1)


if __name__ == "__main__":
    main()
