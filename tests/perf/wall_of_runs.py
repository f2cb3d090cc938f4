"""Many runs at once on the screen: how late it comes to do anything else.

python -m tests.perf.wall_of_runs [RUNS]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sandbox_tui.core.config import Settings, load
from sandbox_tui.core.launch import RunRequest
from sandbox_tui.core.models.base import Delta, Reply, Request, WrittenCall
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.collecting import collect_rarely
from tests.perf.figures import Figure, Section, milliseconds
from tests.perf.report import print_section

COMMANDS = (
    "seq 2000; sleep 1",
    "for i in $(seq 20); do echo line $i; sleep 0.1; done",
    "ls -la /usr/bin",
)
ROUNDS = 4
TICK = 0.005
MEDIAN, MOST = 0.02, 0.4
"""Seconds that half of the looks may be late by, and each of them."""


class Busy:
    """A model that goes round the commands, and then hands its work in."""

    name = "busy"

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}

    async def ask(self, request: Request) -> AsyncIterator[Delta | Reply]:
        done = sum(message["role"] == "tool" for message in request.messages)
        if done < ROUNDS * len(COMMANDS):
            name = "execute_bash"
            arguments = json.dumps({"command": COMMANDS[done % len(COMMANDS)]})
        else:
            name, arguments = "submit", "{}"
        for word in ("I ", "will ", "look ", "at ", "this ", "now."):
            yield Delta(channel="text", text=word)
            await asyncio.sleep(0.02)
        call = {
            "id": f"call_{done}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        message = {"role": "assistant", "content": "I will look at this now.", "tool_calls": [call]}
        written = WrittenCall(id=f"call_{done}", name=name, arguments=arguments)
        yield Reply(message=message, calls=(written,))  # type: ignore[arg-type]

    async def close(self) -> None:
        pass


def measure(runs: int = 64) -> Section:
    """Measure it."""
    section = Section(
        title="Many runs on the screen",
        words=(
            f"{runs} runs at once in one program, each of {ROUNDS * len(COMMANDS)} calls that print, "
            "in embedded sandboxes, with a model that answers at once, while the screen shows all of "
            f"them as tiles. Every {TICK * 1000:g} ms the screen's loop is to look at the clock: how "
            "late it comes to it. All have to submit."
        ),
    )
    with TemporaryDirectory() as home:
        os.environ["SANDBOX_TUI_HOME"] = home
        asyncio.run(_measure(section, Path(home), runs))
    return section


async def _measure(section: Section, home: Path, runs: int) -> None:
    settings = load(
        {
            "sandbox.kind": "bubblewrap",
            "sandbox.snapshots": "off",
            "agent.output": str(home / "output"),
        }
    )
    store = Store(home / "sessions.db")
    requests = [_request(settings, number) for number in range(runs)]
    app = SandboxTui(settings, store, requests)
    late: list[float] = []
    began = time.perf_counter()
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.pause()
        collect_rarely()
        while len(app.runs.all) < runs or any(
            not one.ended.is_set() for one in app.runs.all.values()
        ):
            at = time.perf_counter()
            await asyncio.sleep(TICK)
            late.append(max(0.0, time.perf_counter() - at - TICK))
        took = time.perf_counter() - began
        ended = [one.state.finished for one in app.runs.all.values()]
    store.close()
    late.sort()
    name = f"{runs} runs"
    section.figures += [
        Figure(
            name=f"{name}, all submitted",
            ours=milliseconds(took),
            met=sum(end is not None and end.reason == "submitted" for end in ended) == runs,
        ),
        Figure.bound(f"{name}: late, median", late[len(late) // 2], MEDIAN, milliseconds),
        Figure(name=f"{name}: late, 99 in 100", ours=milliseconds(late[len(late) * 99 // 100])),
        Figure.bound(f"{name}: late, the most", late[-1], MOST, milliseconds),
    ]


def _request(settings: Settings, number: int) -> RunRequest:
    return RunRequest(task=f"work {number}", settings=settings, model=Busy())


def main() -> None:
    """Run it; exit code 1 when something is missed."""
    section = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
    sys.exit(0 if print_section(section) else 1)


if __name__ == "__main__":
    main()
