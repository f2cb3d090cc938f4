"""Generated sessions of any length for benchmarks, with typical steps."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from tests.unit.event_streams import started

FILES = 200
"""Files in the working directory, independent of the session's length."""

BATCH = 2000


def fill(store: Store, run_id: str, steps: int, *, seed: int = 1) -> int:
    """Store a session of `steps` steps; return its number of events."""
    chance = random.Random(seed)
    batch: list[e.AnyEvent] = []
    seq, t = 0, 0.0
    for event in events_of(run_id, steps, chance):
        seq, t = seq + 1, t + chance.random() * 0.2
        batch.append(msgspec.structs.replace(event, seq=seq, t=t))
        if len(batch) >= BATCH:
            store.append(run_id, batch)
            batch = []
    store.append(run_id, batch)
    return seq


def events_of(run_id: str, steps: int, chance: random.Random) -> Iterator[e.AnyEvent]:
    """Yield the events of a session of `steps` steps, without numbers and times."""
    yield started(run_id, task=f"a task of {steps} steps")
    yield e.TerminalOpened(terminal="model", cols=100, rows=30)
    yield e.FilesListed(files=tuple(_file(number, "created", 0) for number in range(FILES)))
    for step in range(1, steps + 1):
        yield from _step(step, chance)
    yield e.RunFinished(reason="submitted", error=None, totals=e.Totals(steps=steps), answer="42")


def _step(step: int, chance: random.Random) -> Iterator[e.AnyEvent]:
    words = f"I look at part {step} of it, then I change what is wrong there. " * 3
    yield e.ModelAsked(step=step, digest=digest(str(step).encode()), messages=2 * step)
    for at in range(0, len(words), 60):
        yield e.ModelDelta(step=step, channel="text", text=words[at : at + 60])
    call = e.ToolCall(
        number=step,
        step=step,
        id=f"c{step}",
        name="execute_bash",
        arguments=f'{{"command": "grep -n part{step} *.py | head -n 20; make test-{step}"}}',
    )
    yield e.ModelReplied(
        step=step,
        message={"role": "assistant", "content": words},
        text=words,
        reasoning="",
        usage=e.Usage(input_tokens=1000 + step, output_tokens=80),
        finish_reason="tool_calls",
        latency=1.5,
    )
    yield e.CallProposed(call=call)
    yield e.CallDecided(call=step, verdict="approve", by="policy")
    yield e.CallStarted(call=step)
    lines = [f"part_{step}.py:{line}: found {chance.random()}" for line in range(12)]
    for line in lines:
        yield e.TerminalOutput(terminal="model", data=f"\x1b[32m{line}\x1b[0m\r\n".encode())
    yield e.CallFinished(
        call=step,
        observation="[STDOUT]\n" + "\n".join(lines),
        ok=step % 17 != 0,
        exit_code=0 if step % 17 else 1,
        stdout_bytes=600,
        duration=0.4,
    )
    changes = tuple(_file(chance.randrange(FILES), "modified", step) for _ in range(2))
    yield e.FilesChanged(step=step, changes=changes, call=step)


def _file(number: int, change: str, step: int) -> e.FileChange:
    return e.FileChange(
        path=f"/testbed/package_{number % 10}/module_{number}.py",
        change=change,  # type: ignore[arg-type]
        kind="file",
        size=1000 + step,
        mode=0o644,
        mtime=float(step),
        blob=None,
    )
