"""Time to open the program with a suite of 10,000 samples in the database, compared with one of
100.

python -m tests.perf.large_suites [SAMPLES]
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.report.recorded_capabilities import recorded_capabilities
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from tests.perf.figures import Figure, Section, in_turns, median, milliseconds, seconds_of
from tests.perf.peers import our_program
from tests.perf.report import print_section
from tests.perf.startup import first_paint
from tests.unit.event_streams import started

FEW, MANY = 100, 10_000
MOST = 2.0
"""Maximum ratio of the time with the larger suite to that with the smaller one."""

DOMAINS = tuple(f"domain {number}" for number in range(7))
COMMAND = '{"command": "python3 solve.py | tee output/answer.txt"}'


def measure(many: int = MANY, rounds: int = 5) -> Section:
    """Measure with both suites."""
    section = Section(
        title=f"A suite of {many:,} samples",
        words=(
            f"Two databases, each with one evaluation, half of it in a sandbox: {FEW} samples and "
            f"{many:,}, each with its recorded session. Time from process start until the home screen "
            "or the screen of the evaluation is drawn with all its figures, and run time of `eval "
            f"report`. The ratio is that of the larger suite to the smaller, and may be {MOST:g}. "
            f"Median of {rounds} alternating rounds."
        ),
    )
    with TemporaryDirectory() as folder:
        small, large = (_home(Path(folder) / str(count), count) for count in (FEW, many))
        for name, opening in OPENINGS.items():
            figure = _compared(name, opening(small, FEW), opening(large, many), rounds)
            section.figures.append(figure)
    return section


def _compared(
    name: str, small: Callable[[], float], large: Callable[[], float], rounds: int
) -> Figure:
    few, many = in_turns(small, large, rounds)
    ratio = median(many) / median(few)
    formatted = (
        f"{milliseconds(median(many))} ({milliseconds(median(few))} with {FEW}): {ratio:.2f}x"
    )
    return Figure(name=name, ours=formatted, met=ratio <= MOST)


def _home_screen(home: Path, _: int) -> Callable[[], float]:
    return first_paint([our_program()], b"palette", str(home))


def _eval_screen(home: Path, samples: int) -> Callable[[], float]:
    done = f"{samples} of {samples}".encode()
    return first_paint([our_program(), "eval", "watch"], done, str(home))


def _report(home: Path, _: int) -> Callable[[], float]:
    environment = {**os.environ, "SANDBOX_TUI_HOME": str(home)}
    command = [our_program(), "eval", "report"]
    return lambda: seconds_of(
        lambda: subprocess.run(command, env=environment, check=True, capture_output=True)
    )


OPENINGS: dict[str, Callable[[Path, int], Callable[[], float]]] = {
    "home": _home_screen,
    "eval screen": _eval_screen,
    "report": _report,
}


def _home(home: Path, samples: int) -> Path:
    """Create a home whose database has a finished evaluation of this many samples."""
    home.mkdir()
    chance = random.Random(samples)
    tasks = tuple(
        Task(id=f"task-{n:05}", problem="What is 6 * 7?", target="42", domain=DOMAINS[n % 7])
        for n in range(samples // 2)
    )
    suite = Suite(name="large", tasks=tasks, scorers={"": "exact"})
    info = EvalInfo(id="20260122-120000-large", suite="large", digest=suite.digest(), model="m")
    with Store(home / "sessions.db") as store:
        ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=Settings()))
        results = [_over(one, n, chance) for n, one in enumerate(ledger.results(store, info.id))]
        for one in results:
            store.append(one.run_id, _session(one))
            ledger.finish(store, info.id, one)
        recorded_capabilities(store, results)  # as the runner does when a sample ends
        ledger.release(store, info.id)
    return home


def _over(pending: SampleResult, number: int, chance: random.Random) -> SampleResult:
    in_sandbox = pending.mode == "sandbox"
    right = chance.random() < (0.7 if in_sandbox else 0.5)
    return msgspec.structs.replace(
        pending,
        status="scored",
        run_id=f"20260122-1200{number % 60:02}-{number:05}",
        attempts=1,
        score=float(right),
        answer="42" if right else "41",
        finish_reason="submitted",
        seconds=chance.uniform(20, 60) if in_sandbox else chance.uniform(5, 30),
        steps=2 if in_sandbox else 1,
        calls=2 if in_sandbox else 0,
        input_tokens=chance.randint(8_000, 20_000) if in_sandbox else 400,
        output_tokens=chance.randint(100, 2_000),
        began_at=float(number),
        ended_at=number + 30.0,
        memory_idle=48_000_000 if in_sandbox else None,
        memory_peak=chance.randint(60_000_000, 220_000_000) if in_sandbox else None,
    )


def _session(one: SampleResult) -> list[e.AnyEvent]:
    """Return the recorded events of a sample."""
    call = e.ToolCall(number=1, step=1, id="c1", name="execute_bash", arguments=COMMAND)
    of_sandbox: list[e.AnyEvent] = [
        e.CallProposed(call=call),
        e.CallDecided(call=1, verdict="approve", by="policy"),
        e.CallStarted(call=1),
        e.CallFinished(
            call=1, observation="42", ok=True, exit_code=0, stdout_bytes=3, duration=0.1
        ),
    ]
    totals = e.Totals(steps=one.steps, calls=one.calls, seconds=one.seconds)
    events: list[e.AnyEvent] = [
        started(one.run_id, task="What is 6 * 7?"),
        *(of_sandbox if one.mode == "sandbox" else []),
        e.Scored(scorer="exact", value=one.score),
        e.RunFinished(reason="submitted", error=None, totals=totals, answer=one.answer),
    ]
    return [msgspec.structs.replace(event, seq=n, t=float(n)) for n, event in enumerate(events, 1)]


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    section = measure(int(sys.argv[1]) if len(sys.argv) > 1 else MANY)
    sys.exit(0 if print_section(section) else 1)


if __name__ == "__main__":
    main()
