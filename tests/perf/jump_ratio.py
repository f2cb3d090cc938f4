"""Time of a jump in a long session compared with a short one, and of the home screen with many sessions.

    python -m tests.perf.jump_ratio [--short 10] [--long 10000] [--jumps 40] [--rounds 3]

Two ratios of medians, measured in alternating rounds (A B A B) in one process; each may be at most 2:

    jump    on the replay screen, from the key press until the panes are drawn
    home    from opening the home screen until the list is drawn, with 2,000 sessions and with 20

And one part of a jump, without a bound, because a short session has fewer items than a screen shows and
so has less to read:

    moment  reading and folding the state, the terminals and the items that the list of calls shows

Jumps go to uniformly random events. Keyframes exist already, as in a recorded run; their cost is printed.
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
    """Store a session with its keyframes, print what they cost, and return the session's id."""
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
    """Return the bytes of the database's pages that are in use."""
    row = store.rows(
        "SELECT (page_count - freelist_count) * page_size AS n"
        " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
    )
    return int(row[0]["n"])


def moments(store: Store, run_id: str, jumps: int, chance: random.Random) -> list[float]:
    """Return the seconds that each jump takes without a screen."""
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
    """Return the seconds that each jump takes on the replay screen."""
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
    """Wait until the screen shows this event."""
    while screen.position != seq:
        await asyncio.sleep(0)
    await drawn(screen)


async def drawn(screen: Screen[object]) -> None:
    """Wait until the screen has been drawn."""
    done = asyncio.Event()
    screen.call_after_refresh(done.set)
    await done.wait()


async def homes(store: Store, rounds: int) -> list[float]:
    """Return the seconds until the home screen shows the sessions, for each round."""
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
    """Store `count` small finished sessions."""
    for number in range(count):
        name = f"session-{number:05}"
        first = started(name, task=f"task number {number}", started_at=1000.0 + number)
        end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
        store.append(name, [msgspec.structs.replace(first, run_id=name), end])


def report(
    name: str, long: list[float], short: list[float], words: tuple[str, str], most: float = MOST
) -> bool:
    """Print medians and their ratio; return whether the ratio is within the bound."""
    a, b = statistics.median(long), statistics.median(short)
    met = a / b <= most
    verdict = "" if math.isinf(most) else f"(at most {most:g})   {'ok' if met else 'MISSED'}"
    print(
        f"{name:7} {words[0]} {a * 1e3:7.2f} ms (worst {max(long) * 1e3:6.1f})   "
        f"{words[1]} {b * 1e3:7.2f} ms (worst {max(short) * 1e3:6.1f})   "
        f"ratio {a / b:4.2f} {verdict}"
    )
    return met


async def measure(folder: Path, options: argparse.Namespace) -> bool:
    """Measure all three; return whether both bounds hold."""
    store = Store(folder / "sessions.db")
    short, long = prepare(store, options.short), prepare(store, options.long)
    chance = random.Random(7)
    taken: dict[tuple[str, str], list[float]] = {}
    for run_id in (long, short) * options.rounds:
        found = moments(store, run_id, options.jumps, chance)
        taken.setdefault(("moment", run_id), []).extend(found)
    app = SandboxTui(Settings(), store)
    async with app.run_test(size=(160, 45)):
        for run_id in (long, short) * options.rounds:
            found = await jumps_on_screen(app, store, run_id, options.jumps, chance)
            taken.setdefault(("jump", run_id), []).extend(found)
    store.close()
    words = (f"{options.long} steps", f"{options.short} steps")
    met = [
        report(name, taken[name, long], taken[name, short], words, most)
        for name, most in (("moment", math.inf), ("jump", MOST))
    ]
    stores = {count: Store(folder / f"{count}.db") for count in (MANY, FEW)}
    opened: dict[int, list[float]] = {MANY: [], FEW: []}
    for count, one in stores.items():
        many_sessions(one, count)
    for count in (MANY, FEW) * options.rounds:
        opened[count] += await homes(stores[count], 5)
    for one in stores.values():
        one.close()
    met.append(report("home", opened[MANY], opened[FEW], (f"{MANY} sessions", f"{FEW} sessions")))
    return all(met)


def main() -> None:
    """Run the benchmark; exit code 1 if a ratio exceeds its bound."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--short", type=int, default=10)
    parser.add_argument("--long", type=int, default=10_000)
    parser.add_argument("--jumps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        sys.exit(0 if asyncio.run(measure(Path(folder), options)) else 1)


if __name__ == "__main__":
    main()
