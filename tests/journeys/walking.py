"""Random walks: keys that a user might press, in the real program, during runs.

    make walks N=100           # prints the seed of each walk that found a fault
    python -m tests.journeys.walking --seed 7 --keep    # repeat a walk and keep its traces

The seed determines a walk: where it starts, which keys it presses, how it resizes the terminal. The
faults it can find are a crash, a hang, and a run that ended or a call that ran without a key of the
walk asking for it.
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
from tests.journeys.program_on_terminal import KEY_SECONDS, PROGRAM, FaultFound, Program
from tests.journeys.walked_model import CONFIG, reply

KEYS_PER_WALK = 200
REAL_STARTS = 5
"""One walk in this many starts its programs from the command line; the others fork them."""

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
    "the demo": ((), "", ("d", "y")),
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
DECIDING_ON_WALL = ("wall.approve", "wall.reject", "decide_all.approve", "decide_all.reject")
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
"""Allowed difference in seconds between the times in the record and in the walk's log."""


@dataclass
class Walk:
    """One walk.

    Attributes:
        seed: determines everything random in the walk.
        folder: working folder of the program, with its home.
        starts: forks the programs; None to start each from the command line.
        trace: the keys pressed and programs started.
        log: the lines logged by the probe in all programs.
    """

    seed: int
    folder: Path
    starts: ForkedStarts | None = None
    trace: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    def go(self) -> None:
        """Walk, then check the recorded runs.

        Raises:
            FaultFound: the walk found a fault.
        """
        dice = random.Random(self.seed)
        self.start = dice.choice(list(STARTS))
        size = dice.choice(SIZES[:5])
        arguments, until, first = STARTS[self.start]
        if dice.random() < 0.3:
            until = ""  # press keys while everything is still starting
        keys = [*first, *(self._key(dice) for _ in range(KEYS_PER_WALK - len(first)))]
        patient = [dice.random() < 0.8 for _ in keys]
        while keys:
            self._walk(arguments, size, until, keys, patient, dice)
            arguments, until = (), ""  # the keys quit the program: continue on the home screen
        self._check_runs()

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
            self._check_exit(program)
        except FaultFound as fault:
            raise FaultFound(f"{fault}\n{_last_output(program)}") from None
        finally:
            program.close()
            self.log += program.evidence.lines

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
        """Check that the program still responds, then quit it."""
        if not program.ended:
            program.wait("done", program.keys)
            columns, rows = program.size
            program.resize(columns + 1, rows)
            program.wait(f"drawn {columns + 1}x{rows}", 1)
        until = time.monotonic() + KEY_SECONDS
        while not program.ended:
            program.press("release")  # pressed twice, the chord goes to the sandbox's terminal
            program.wait("done", program.keys)
            # a second ctrl+q would not wait for the ending runs
            program.press("y" if self._is_ending(program) else "ctrl+q")
            if not program.wait_end(1):
                program.press("y")  # confirm that all active runs end
                program.wait_end(KEY_SECONDS if self._is_ending(program) else 5)
            if time.monotonic() > until:
                raise FaultFound("hang: it does not quit")

    @staticmethod
    def _is_ending(program: Program) -> bool:
        """Whether the program waits for its runs to end: the last key reached that dialog."""
        keys = [line for line in program.evidence.lines if line["what"] == "key"]
        return bool(keys) and keys[-1]["screen"] == "EndingRunsDialog"

    def _check_exit(self, program: Program) -> None:
        code, output = program.process.returncode, program.last_output()
        bug = re.search(r"This\s+is\s+a\s+bug\s+in\s+sandbox-tui", output)
        if bug or code == 1 or code not in e.EXIT_CODES.values():
            raise FaultFound(f"crash: exit code {code}")
        ran = {line["name"] for line in program.evidence.lines if line["what"] == "ran"}
        if not ran & {"app.quit", "home.quit", *LEAVING}:
            raise FaultFound(f"it ended by itself, exit code {code}")

    # --- the recorded runs

    def _check_runs(self) -> None:
        store = Store(self.folder / "home" / "sessions.db")
        try:
            for run in store.runs():
                self._check_run(list(store.events(run.id)))
        finally:
            store.close()

    def _check_run(self, events: list[e.AnyEvent]) -> None:
        first, last = events[0], events[-1]
        assert isinstance(first, e.RunStarted)
        if first.model != "scripted" or first.parent is not None:
            return  # an earlier demo, or a fork, which begins with its parent's events
        fold(events)
        if [event.seq for event in events] != list(range(1, len(events) + 1)):
            raise FaultFound(f"run {first.run_id}: events are not numbered in order")
        if not isinstance(last, e.RunFinished):
            raise FaultFound(f"run {first.run_id}: it never ended; last event: {last}")
        self._check_end(first, last)
        self._check_calls(first, events)

    def _check_end(self, first: e.RunStarted, last: e.RunFinished) -> None:
        where = f"run {first.run_id}, {last.reason}: {last.error}"
        if last.reason in ("internal_error", "store_error", "sandbox_error"):
            raise FaultFound(where)
        if last.reason in ("model_error", "model_unavailable") and "127.0.0.1" in str(
            first.model_params
        ):
            raise FaultFound(where)
        if last.reason == "cancelled":
            ended = first.started_at - first.t + last.t
            if not any(
                first.started_at - SLACK < at < ended + SLACK for at in self._times_of_ending()
            ):
                raise FaultFound(f"{where}: no key asked for that")

    def _times_of_ending(self) -> Iterator[float]:
        """Yield the times at which a key asked to end a run."""
        asked = False
        for line in self.log:
            if line["what"] == "ran":
                name = line["name"]
                if name in ("leave_run.end", "app.quit", "home.quit", "live.leave"):
                    yield line["at"]
                if name == "confirm.yes" and asked:
                    yield line["at"]
                asked = name in ENDING or (asked and name != "confirm.no")

    def _check_calls(self, first: e.RunStarted, events: list[e.AnyEvent]) -> None:
        decisions = sorted(self._times_of_decisions())
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
                    earliest, latest = held[call] - SLACK, at + SLACK
                    decision = next((d for d in decisions if earliest < d < latest), None)
                    if decision is None:
                        raise FaultFound(f"run {first.run_id}: {event}: no key asked for that")
                    decisions.remove(decision)
                case e.CallStarted(call=call) if call in held and call not in decided:
                    raise FaultFound(f"run {first.run_id}: call {call} ran without a decision")
                case _:
                    pass

    def _times_of_decisions(self) -> Iterator[float]:
        """Yield the times at which a key decided about a call."""
        for line in self.log:
            sent = line["what"] == "key" and line["name"] == "enter"
            if sent and (
                line["focus"] == "inject-input"
                or line["screen"] in ("ApproveAlwaysDialog", "PromptDialog")
            ):
                yield line["at"]
            if line["what"] == "ran" and line["name"] in (*DECIDING, *DECIDING_ON_WALL):
                yield line["at"]


def _last_output(program: Program) -> str:
    """Return the last lines of the probe's log, and the traceback or the end of the output."""
    output = program.last_output()
    at = max(output.rfind("Traceback (most recent"), 0)
    lines = [json.dumps(line) for line in program.evidence.lines[-8:]]
    plain = re.sub(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]", "", output[at:])
    return "\n".join([*lines, plain[-6000:] if at else plain[-300:]])


class Walks:
    """Walks that share a model server and start with the same sessions."""

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
        """Do one walk; return the fault it found, or an empty string."""
        folder = self.folder / str(seed)
        shutil.copytree(self.folder / "before", folder / "home")
        opener = folder / "bin" / "xdg-open"
        opener.parent.mkdir()
        opener.write_text("#!/bin/sh\n")
        opener.chmod(0o755)
        walk = Walk(seed, folder, self._starts if seed % REAL_STARTS else None)
        try:
            walk.go()
        except FaultFound as fault:
            keys = " ".join(walk.trace[-25:])
            return f"seed {seed} from {walk.start!r}: {fault}\nthe last keys: {keys}"
        finally:
            if keep:
                traces = {"keys": walk.trace, "log": walk.log}
                Path(f"walk-{seed}.json").write_text(json.dumps(traces, indent=1))
                shutil.copy(folder / "home" / "sessions.db", f"walk-{seed}.db")
            shutil.rmtree(folder, ignore_errors=True)
        return ""


def main() -> None:
    """Do walks in parallel; print the faults, with their seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("walks", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, help="seed of the first walk; the next ones count up")
    parser.add_argument("--jobs", type=int, default=2, help="walks at a time")
    parser.add_argument("--keep", action="store_true", help="keep keys, log and database")
    options = parser.parse_args()
    first = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    count = 1 if options.seed is not None and options.walks == 20 else options.walks
    faults = 0
    began = time.monotonic()
    with Walks() as walks, ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(first, first + count)
        for seed, fault in zip(
            seeds, pool.map(lambda seed: walks.walk(seed, keep=options.keep), seeds), strict=True
        ):
            if fault:
                faults += 1
                print(f"✗ {fault}\n", flush=True)
            elif sys.stdout.isatty() or seed % 50 == 0:
                print(f"· {seed}", flush=True)
    took = time.monotonic() - began
    print(
        f"{count} walks of {KEYS_PER_WALK} keys in {took:.0f} s, from seed {first}: {faults} faults"
    )
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
