"""Random walks: keys a person might press, in the real program, with runs going.

    make walks N=100           # prints a seed for each walk that found something
    python -m tests.journeys.walking --seed 7 --keep    # the same walk again, its traces kept

A walk is its seed: where it starts, which keys it presses, how the terminal's size changes. What it
must not find: a crash, a hang, a run that ended or a call that ran without an order of the walk's.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.sessions import Store
from tests import scripted_server as s
from tests.journeys.forked_starts import ForkedStarts
from tests.journeys.program_on_terminal import BOUND, PROGRAM, Found, Program
from tests.journeys.walked_model import CONFIG, reply

KEYS_PER_WALK = 200
REAL_STARTS = 5
"""Of so many walks one starts its programs as a person does; those of the others are forked."""

WEIGHTS: list[tuple[float, str]] = [
    (28, "up down left right j k h l g G pageup pagedown home end tab shift+tab 1 2 3"),
    (16, "enter enter enter space space y n ctrl+s escape escape release release"),
    (14, "a Y e r A S s a s"),
    (20, "i m u M W Z R t w o z f / ? c d D v E p P O C F T + - \\ [ ] , . : 0 $ n N"),
    (5, "f1 f2 f3 f4 f5 ctrl+o ctrl+p ctrl+t delete backspace shift+left shift+right"),
    (8, "b j k l 4 7 ' \" # ( ctrl+a ctrl+e ctrl+k ctrl+u ctrl+w é 漢"),
    (2, "x q q"),
    (0.15, "ctrl+q ctrl+c"),
    (3, "CLICK"),
    (1.5, "WHEEL"),
    (1.5, "RESIZE"),
]
SIZES = [(80, 24), (160, 45), (200, 60), (100, 30), (40, 12), (60, 20), (20, 5), (139, 40)]

STARTS: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    "home": ((), "", ()),
    "new run": ((), "", ("n",)),
    "settings": ((), "", (",",)),
    "finding": ((), "", ("/", "a")),
    "comparing": ((), "", ("space", "down", "space", "c")),
    "the demo": ((), "", ("d",)),
    "replay": (("replay", "last"), "", ()),
    "fork form": (("replay", "last"), "", ("$", "F")),
    "files of a replay": (("replay", "last"), "", ("$", "3", "down", "down")),
    "live": (("run", "a task"), "CallStarted", ()),
    "starting": (("run", "a task"), "", ()),
    "shell": (("run", "a task"), "CallStarted", ("t",)),
    "waiting": (("run", "a task", "--step"), "CallHeld", ()),
    "asking": (("run", "a task", "--mode", "ask"), "CallHeld", ()),
    "editing a call": (("run", "a task", "--step"), "CallHeld", ("e",)),
    "rejecting": (("run", "a task", "--step"), "CallHeld", ("r",)),
    "writing": (("run", "a task", "--step"), "CallHeld", ("m", "h", "i", "enter")),
    "wall": (("run", "one task", "another", "a third"), "CallStarted", ()),
    "wall that waits": (("run", "a task", "--samples", "3", "--step"), "CallHeld", ()),
}

DECIDING = ("live.approve", "live.skip", "live.step", "allow_always.allow", "edit_call.run")
DECIDING_ON_WALL = ("wall.approve", "wall.reject")
ENDING = ("live.end", "wall.end", "app.quit", "home.quit")
LEAVING = (
    "leave_run.end",
    "leave_run.keep",
    "live.leave",
    "replay.leave",
    "replay.back",
    "wall.leave",
)
SLACK = 0.5
"""Seconds by which the clocks of program and walk, and what is written when, may differ."""


@dataclass
class Walk:
    """One walk.

    Attributes:
        seed: it is the walk.
        folder: its home, its program's folder.
        starts: where its programs are forked from; None to start each as a person does.
    """

    seed: int
    folder: Path
    starts: ForkedStarts | None = None
    trace: list[str] = field(default_factory=list)
    said: list[dict[str, Any]] = field(default_factory=list)

    def go(self) -> None:
        """Walk.

        Raises:
            Found: what must not be.
        """
        dice = random.Random(self.seed)
        self.start = dice.choice(list(STARTS))
        size = dice.choice(SIZES[:5])
        arguments, until, first = STARTS[self.start]
        if dice.random() < 0.3:
            until = ""  # keys come while everything is still starting
        keys = [*first, *(self._key(dice) for _ in range(KEYS_PER_WALK - len(first)))]
        patient = [dice.random() < 0.8 for _ in keys]
        while keys:
            self._walk(arguments, size, until, keys, patient, dice)
            arguments, until = (), ""  # it was told to quit: go on from the home screen
        self._look_at_runs()

    @staticmethod
    def _key(dice: random.Random) -> str:
        _, words = dice.choices(WEIGHTS, [weight for weight, _ in WEIGHTS])[0]
        return dice.choice(words.split())

    def _walk(
        self,
        arguments: tuple[str, ...],
        size: tuple[int, int],
        until: str,
        keys: list[str],
        patient: list[bool],
        dice: random.Random,
    ) -> None:
        program = Program(arguments, self.folder, size, self.starts)
        self.trace.append(f"start {' '.join(arguments)} {size}")
        try:
            program.wait("up", 1)
            if until:
                program.wait(f"event {until}", 1)
            while keys and not program.ended:
                self._press(program, keys.pop(0), patient.pop(0), dice)
            self._end(program)
            self._look_at_end(program)
        except Found as found:
            raise Found(f"{found}\n{_last_words(program)}") from None
        finally:
            program.close()
            self.said += program.evidence.lines

    def _press(self, program: Program, key: str, patient: bool, dice: random.Random) -> None:
        self.trace.append(key)
        columns, rows = program.size
        at = f"{dice.randint(1, columns)};{dice.randint(1, rows)}"
        match key:
            case "CLICK":
                program.send(f"\x1b[<0;{at}M\x1b[<0;{at}m")
            case "WHEEL":
                program.send(f"\x1b[<{dice.choice((64, 65))};{at}M")
            case "RESIZE":
                program.resize(*dice.choice(SIZES))
            case _:
                program.press(key, wait=patient)

    def _end(self, program: Program) -> None:
        """It answers still; then it is told to quit."""
        if not program.ended:
            program.wait("done", program.keys)
            columns, rows = program.size
            program.resize(columns + 1, rows)
            program.wait(f"drawn {columns + 1}x{rows}", 1)
        until = time.monotonic() + BOUND
        while not program.ended:
            program.press("release")  # after another one it goes to the terminal's program
            program.wait("done", program.keys)
            # a second ctrl+q while runs end would not wait for them
            program.press("y" if self._is_ending(program) else "ctrl+q")
            if not program.wait_end(1):
                program.press("y")  # many are going: sure
                program.wait_end(BOUND if self._is_ending(program) else 5)
            if time.monotonic() > until:
                raise Found("hang: it does not quit")

    @staticmethod
    def _is_ending(program: Program) -> bool:
        """Whether the program waits for its runs to end: the last key met that dialog."""
        keys = [line for line in program.evidence.lines if line["what"] == "key"]
        return bool(keys) and keys[-1]["screen"] == "EndingRunsDialog"

    def _look_at_end(self, program: Program) -> None:
        code, said = program.process.returncode, program.said()
        bug = re.search(r"This\s+is\s+a\s+bug\s+in\s+sandbox-tui", said)
        if bug or code == 1 or code not in e.EXIT_CODES.values():
            raise Found(f"crash: exit code {code}")
        ran = {line["name"] for line in program.evidence.lines if line["what"] == "ran"}
        if not ran & {"app.quit", "home.quit", *LEAVING}:
            raise Found(f"it ended by itself, exit code {code}")

    # --- what became of the runs

    def _look_at_runs(self) -> None:
        store = Store(self.folder / "home" / "sessions.db")
        try:
            for run in store.runs():
                self._look_at_run(list(store.events(run.id)))
        finally:
            store.close()

    def _look_at_run(self, events: list[e.AnyEvent]) -> None:
        first, last = events[0], events[-1]
        assert isinstance(first, e.RunStarted)
        if first.model != "scripted" or first.parent is not None:
            return  # the demo's, of before; a fork begins with its parent's events
        fold(events)
        if [event.seq for event in events] != list(range(1, len(events) + 1)):
            raise Found(f"run {first.run_id}: numbers of events are not in order")
        if not isinstance(last, e.RunFinished):
            raise Found(f"run {first.run_id}: it never ended; last {last}")
        self._look_at_finish(first, last)
        self._look_at_calls(first, events)

    def _look_at_finish(self, first: e.RunStarted, last: e.RunFinished) -> None:
        where = f"run {first.run_id}, {last.reason}: {last.error}"
        if last.reason in ("internal_error", "store_error", "sandbox_error"):
            raise Found(where)
        if last.reason == "model_error" and "127.0.0.1" in str(first.model_params):
            raise Found(where)
        if last.reason == "cancelled":
            ended = first.started_at - first.t + last.t
            if not any(first.started_at - SLACK < at < ended + SLACK for at in self._end_orders()):
                raise Found(f"{where}: nobody ordered that")

    def _end_orders(self) -> Iterator[float]:
        asked = False
        for line in self.said:
            if line["what"] == "ran":
                name = line["name"]
                if name in ("leave_run.end", "app.quit", "home.quit", "live.leave"):
                    yield line["at"]
                if name == "confirm.yes" and asked:
                    yield line["at"]
                asked = name in ENDING or (asked and name != "confirm.no")

    def _look_at_calls(self, first: e.RunStarted, events: list[e.AnyEvent]) -> None:
        orders = sorted(self._decisions())
        held: dict[int, float] = {}
        decided: set[int] = set()
        granted = False
        for event in events:
            at = first.started_at - first.t + event.t
            match event:
                case e.CallHeld(call=call):
                    held[call] = at
                case e.RuleGranted():
                    granted = True
                case e.CallDecided(call=call, by=by) if call in held:
                    decided.add(call)
                    if by == "policy" and granted:
                        continue
                    order = next((o for o in orders if held[call] - SLACK < o < at + SLACK), None)
                    if order is None:
                        raise Found(f"run {first.run_id}: {event}: nobody ordered that")
                    orders.remove(order)
                case e.CallStarted(call=call) if call in held and call not in decided:
                    raise Found(f"run {first.run_id}: call {call} ran without a decision")
                case _:
                    pass

    def _decisions(self) -> Iterator[float]:
        for line in self.said:
            sent = line["what"] == "key" and line["name"] == "enter"
            if sent and (
                line["focus"] == "inject-input"
                or line["screen"] in ("ApproveAlwaysDialog", "PromptDialog")
            ):
                yield line["at"]
            if line["what"] == "ran" and line["name"] in (*DECIDING, *DECIDING_ON_WALL):
                yield line["at"]


def _last_words(program: Program) -> str:
    """What it said of itself, and what is on the screen."""
    said = program.said()
    at = max(said.rfind("Traceback (most recent"), 0)
    lines = [json.dumps(line) for line in program.evidence.lines[-8:]]
    plain = re.sub(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]", "", said[at:])
    return "\n".join([*lines, plain[-6000:] if at else plain[-300:]])


class Walks:
    """Walks that share a model's server and the sessions of before."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sandbox-tui-walks-"))
        self._server = s.ScriptedServer([reply])
        self._starts = ForkedStarts(self.folder)

    def __enter__(self) -> Walks:
        self._server.__enter__()
        self._starts.__enter__()
        home = self.folder / "before"
        home.mkdir()
        settings = CONFIG.format(url=self._server.url, port=self._server.port)
        (home / "config.toml").write_text(settings)
        environment = {**os.environ, "SANDBOX_TUI_HOME": str(home)}
        play = ("demo", "--headless", "--speed", "0", "--output", str(self.folder / "results"))
        for more in ((), ("--max-steps", "2")):
            done = subprocess.run([PROGRAM, *play, *more], env=environment, capture_output=True)
            assert done.returncode in (0, 7), done.stderr
        return self

    def __exit__(self, *_: object) -> None:
        self._starts.__exit__()
        self._server.__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)

    def walk(self, seed: int, *, keep: bool = False) -> str:
        """One walk; what it found, or nothing."""
        folder = self.folder / str(seed)
        shutil.copytree(self.folder / "before", folder / "home")
        opener = folder / "bin" / "xdg-open"
        opener.parent.mkdir()
        opener.write_text("#!/bin/sh\n")
        opener.chmod(0o755)
        walk = Walk(seed, folder, self._starts if seed % REAL_STARTS else None)
        try:
            walk.go()
        except Found as found:
            keys = " ".join(walk.trace[-25:])
            return f"seed {seed} from {walk.start!r}: {found}\nthe last keys: {keys}"
        finally:
            if keep:
                traces = {"keys": walk.trace, "said": walk.said}
                Path(f"walk-{seed}.json").write_text(json.dumps(traces, indent=1))
                shutil.copy(folder / "home" / "sessions.db", f"walk-{seed}.db")
            shutil.rmtree(folder, ignore_errors=True)
        return ""


def main() -> None:
    """Walk, two at a time; prints what was found, and the seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("walks", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, help="of the first walk; the others follow")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="keys and database of each walk")
    wanted = parser.parse_args()
    first = wanted.seed if wanted.seed is not None else random.SystemRandom().randrange(10**6)
    count = 1 if wanted.seed is not None and wanted.walks == 20 else wanted.walks
    found = 0
    began = time.monotonic()
    with Walks() as walks, ThreadPoolExecutor(wanted.jobs) as pool:
        seeds = range(first, first + count)
        for seed, words in zip(
            seeds, pool.map(lambda seed: walks.walk(seed, keep=wanted.keep), seeds), strict=True
        ):
            if words:
                found += 1
                print(f"✗ {words}\n", flush=True)
            elif sys.stdout.isatty() or seed % 50 == 0:
                print(f"· {seed}", flush=True)
    took = time.monotonic() - began
    print(
        f"{count} walks of {KEYS_PER_WALK} keys in {took:.0f} s, from seed {first}: {found} found"
    )
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
