"""A suite whose samples all have their sandboxes at the same time, on the screen.

python -m tests.perf.sandboxes_of_a_suite [SANDBOXES]
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from tests.e2e.tmux import Terminal
from tests.perf import late_program
from tests.perf.figures import Figure, Section, median, megabytes, milliseconds
from tests.perf.headless_calls import IMAGE
from tests.perf.report import print_section
from tests.scripted_server import Chunk, Scripted, ScriptedServer, call

COLUMNS, LINES = 160, 45
MEMORY, LATE = 1 << 30, 0.4
"""Maximum bytes of the program, and maximum delay of its screen in seconds."""

PAPER_IDLE, PAPER_PEAK = 50e6, 200e6
"""Idle and peak memory of a sandbox in bytes, from the paper (arXiv 2601.16206)."""

MAX_WAIT_SECONDS = 1800.0
COMMAND = "python3 -c 'print(sum(range(10**6)))' | tee output/answer.txt"
TARGET = "499999500000"


class Gate:
    """A model that holds every second request until the second requests of all samples have
    arrived.

    Args:
        samples: number of samples.

    Attributes:
        here: second requests so far.
        all_here: set once all have arrived.
        go: set to release the replies.
    """

    def __init__(self, samples: int) -> None:
        self._samples = samples
        self._lock = threading.Lock()
        self.here = 0
        self.all_here = threading.Event()
        self.go = threading.Event()

    def reply(self, request: Chunk) -> Scripted:
        """Reply with a command first; submit once all samples are released."""
        if not any(message["role"] == "tool" for message in request["messages"]):
            return call("execute_bash", command=COMMAND)
        with self._lock:
            self.here += 1
            if self.here == self._samples:
                self.all_here.set()
        self.go.wait(MAX_WAIT_SECONDS)
        return call("submit")


def measure(sandboxes: int = 512) -> Section:
    """Run such a suite."""
    section = Section(
        title=f"{sandboxes} sandboxes of a suite",
        words=(
            f"`eval run` of a suite of {sandboxes} tasks with `--concurrency {sandboxes}` and Docker "
            f"containers of the image {IMAGE}, on its screen in tmux, {COLUMNS} x {LINES}. The model "
            "holds back the second reply of each sample until every sample has asked for it, so "
            "that all containers are alive at once; they are counted then. Each runs "
            f"`{COMMAND}` before. Delay is how late the event loop of the program serves a timer "
            f"that is due every {late_program.TICK * 1000:g} ms, from its start to its end. Memory of "
            "the program is its maximum resident set size (VmHWM); memory of a sandbox is that of "
            "its control group when its run has ended, and its peak (the paper has 50 MB idle and "
            "200 MB at the peak)."
        ),
    )
    with TemporaryDirectory() as folder:
        _measure(section, Path(folder), sandboxes)
    return section


def _measure(section: Section, folder: Path, sandboxes: int) -> None:
    home, figures = folder / "home", folder / "figures.json"
    home.mkdir()
    gate = Gate(sandboxes)
    _write_suite(folder, sandboxes)
    with ScriptedServer([gate.reply]) as server:
        command = [late_program.__file__, figures, "eval", "run", "many.yaml", "--model", "m"]
        command += ["--base-url", server.url, "--concurrency", sandboxes]
        python = Path(sys.executable)
        terminal = Terminal(
            *map(str, command), home=home, columns=COLUMNS, rows=LINES, program=python
        )
        began = time.monotonic()
        try:
            with terminal:
                terminal.wait_until(gate.all_here.is_set, MAX_WAIT_SECONDS)
                started, program = time.monotonic() - began, terminal.pid()
                alive = _containers(program)
                terminal.wait_for(f"{sandboxes} running")
                gate.go.set()
                terminal.wait_for(
                    f"{sandboxes} of {sandboxes}", "finished", seconds=MAX_WAIT_SECONDS
                )
                took, left = time.monotonic() - began, _containers(program)
                terminal.press("escape")
                terminal.press("ctrl+q")
                code = terminal.exit_code()
        finally:
            gate.go.set()
    with Store(home / "sessions.db") as store:
        samples = ledger.results(store, ledger.summary(store).info.id)
    at_work = json.loads(figures.read_text())
    name = f"{sandboxes} sandboxes"
    right = sum(one.score == 1 and one.attempts == 1 for one in samples)
    section.figures += [
        Figure(name=f"{name}: alive at once", ours=str(alive), met=alive == sandboxes),
        Figure(
            name=f"{name}: samples scored 1 in their first run",
            ours=str(right),
            met=right == sandboxes,
        ),
        Figure(
            name=f"{name}: all started, all over",
            ours=f"{milliseconds(started)}, {milliseconds(took)}",
            met=code == 0,
        ),
        Figure(name=f"{name}: containers left", ours=str(left), met=not left),
        Figure.bound(f"{name}: memory of the program", at_work["memory"], MEMORY, megabytes),
        Figure(name=f"{name}: delay, median", ours=milliseconds(at_work["median"])),
        Figure(name=f"{name}: delay, 99th percentile", ours=milliseconds(at_work["late"])),
        Figure.bound(f"{name}: delay, maximum", at_work["most"], LATE, milliseconds),
        *_memory_of_sandboxes(samples),
    ]


def _write_suite(folder: Path, samples: int) -> None:
    rows = [
        {"id": f"sum{n}", "problem": f"Sum the numbers below 10**6 ({n}).", "target": TARGET}
        for n in range(samples)
    ]
    (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    suite: dict[str, Any] = {
        "dataset": {"path": "tasks.jsonl", "domain": "sums"},
        "modes": ["sandbox"],
        "scorers": "exact",
        "sandbox": {"kind": "docker", "image": IMAGE},
        "model": {
            "tool_calls": "native",
            "stall_timeout": MAX_WAIT_SECONDS,
            "request_timeout": MAX_WAIT_SECONDS,
        },
    }
    (folder / "many.yaml").write_bytes(msgspec.yaml.encode(suite))


def _containers(program: int) -> int:
    owned = ["docker", "ps", "-aq", "--filter", f"label=sandbox-tui.pid={program}"]
    done = subprocess.run(owned, capture_output=True, text=True, check=True)
    return len(done.stdout.split())


def _memory_of_sandboxes(samples: list[SampleResult]) -> list[Figure]:
    idle = [one.memory_idle for one in samples if one.memory_idle is not None]
    peak = [one.memory_peak for one in samples if one.memory_peak is not None]
    if not (idle and peak):
        return [Figure(name="memory of a sandbox", ours="not known", met=False)]
    return [
        Figure(
            name="memory of a sandbox when idle, median; the paper's",
            ours=megabytes(median(idle)),
            theirs=megabytes(PAPER_IDLE),
            ratio=PAPER_IDLE / median(idle),
        ),
        Figure(
            name="memory of a sandbox at its peak, highest; the paper's",
            ours=megabytes(max(peak)),
            theirs=megabytes(PAPER_PEAK),
            ratio=PAPER_PEAK / max(peak),
        ),
    ]


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    section = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 512)
    sys.exit(0 if print_section(section) else 1)


if __name__ == "__main__":
    main()
