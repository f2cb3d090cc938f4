"""Programs killed with SIGKILL at random moments of a run, on real sandboxes, and what remains.

SANDBOX_TUI_KILLS sets how many for each kind of sandbox; SANDBOX_TUI_KILLS_SEED seeds the moments.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

from sandbox_tui.core.agent.conversation_from_events import conversation
from sandbox_tui.core.agent.loop import messages_digest
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store, replay
from sandbox_tui.sessions.store.maintenance import check
from tests.faults.remains import nothing_remains
from tests.integration.conftest import TEST_IMAGE, require
from tests.waiting import HANG_SECONDS

PROGRAM = Path(sys.executable).with_name("sandbox-tui")
KILLS = int(os.environ.get("SANDBOX_TUI_KILLS", "6"))
SEED = int(os.environ.get("SANDBOX_TUI_KILLS_SEED", "1"))
GRACE = 17
"""Seconds; unique to this test, so that it identifies the containers."""

MOST_EVENTS = 180
"""Most events that a run prints before its kill; the whole demo prints a few more."""

LONGEST_PAUSE = 0.3
"""Most seconds between the last of those events and the kill."""

REASONS = (
    "There are no sessions",  # killed before anything was stored
    "has ended",  # killed after its end
    "The container of this session is gone",  # it was just being removed
    "folders are gone",
)
"""Reports of a session that cannot be resumed."""


class Killed:
    """A killed run, with the lines its program had printed, all of which it had stored."""

    def __init__(self, home: Path, lines: list[str]) -> None:
        self.home = home
        self.said = [json.loads(line) for line in lines]


async def run_and_kill(home: Path, kind: str, events: int, pause: float) -> Killed:
    """Play the demo and kill its program `pause` seconds after it has printed that many events."""
    process = await asyncio.create_subprocess_exec(
        *(PROGRAM, "demo", "--json", "--speed", "4", "--sandbox", kind, "--image", TEST_IMAGE),
        *("--output", str(home / "out")),
        env=_environment(home),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 24,
    )
    assert process.stdout is not None
    lines: list[str] = []
    async with asyncio.timeout(HANG_SECONDS):
        while len(lines) < events and (line := await process.stdout.readline()):
            lines.append(line.decode())
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(pause):
            while line := await process.stdout.readline():
                lines.append(line.decode())
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    await process.wait()
    rest = (await process.stdout.read()).decode().splitlines(keepends=True)
    return Killed(home, [x for x in [*lines, *rest] if x.endswith("\n")])


def _environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "SANDBOX_TUI_HOME": str(home),
        "SANDBOX_TUI_SANDBOX_GRACE": str(GRACE),
        "TMPDIR": str(home.parent),
    }


async def take_up(killed: Killed) -> tuple[int, str]:
    """Exit code and stderr of `resume`."""
    process = await asyncio.create_subprocess_exec(
        *(PROGRAM, "resume", "last", "--headless"),
        env=_environment(killed.home),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, words = await asyncio.wait_for(process.communicate(), HANG_SECONDS)
    return process.returncode or 0, words.decode()


def opens_with_all_that_was_said(killed: Killed) -> list[e.AnyEvent]:
    """The session's events, which must include all that the program had printed."""
    if not (killed.home / "sessions.db").exists():
        assert not killed.said
        return []
    store = Store(killed.home / "sessions.db")
    try:
        assert check(store).problems == []
        runs = store.runs()
        assert len(runs) <= 1
        events = list(replay(store, runs[0].id)) if runs else []
    finally:
        store.close()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    shown = [json.loads(e.to_json(event)) for event in events[: len(killed.said)]]
    assert shown == killed.said
    return events


def goes_on_rightly(events: list[e.AnyEvent]) -> None:
    """Check that the run was submitted and that every request matches the record."""
    assert isinstance(events[-1], e.RunFinished)
    assert events[-1].reason == "submitted", events[-1]
    for asked in (event for event in events if isinstance(event, e.ModelAsked)):
        assert messages_digest(conversation(events[: asked.seq])) == asked.digest
    finished = [event.call for event in events if isinstance(event, e.CallFinished)]
    assert finished == list(range(1, len(finished) + 1))


@pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
async def test_a_run_killed_at_any_time_resumes_or_says_why_not(kind: str, tmp_path: Path) -> None:
    require(kind)
    chance = random.Random(f"{kind} {SEED}")
    outcomes: Counter[str] = Counter()
    for number in range(KILLS):
        home = tmp_path / str(number)
        home.mkdir()
        events, pause = chance.randrange(MOST_EVENTS), chance.uniform(0.0, LONGEST_PAUSE)
        killed = await run_and_kill(home, kind, events, pause)
        before = opens_with_all_that_was_said(killed)
        code, words = await take_up(killed)
        after = opens_with_all_that_was_said(killed)
        assert after[: len(before)] == before
        if code == 0:
            goes_on_rightly(after)
            outcomes["resumed"] += 1
            continue
        assert any(reason in words for reason in REASONS), (number, events, pause, code, words)
        outcomes[words.split(": ", 1)[1].split(":")[0].strip()[:60]] += 1
    print(f"\n{kind}, {KILLS} kills, seed {SEED}: {dict(outcomes)}")
    assert outcomes["resumed"] >= KILLS // 4
    await nothing_remains(kind, tmp_path, GRACE)
