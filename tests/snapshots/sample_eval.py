"""A half-finished evaluation, the same every time."""

from __future__ import annotations

import random

import msgspec

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger

DOMAINS = (
    *("biomedicine", "chemistry", "instructions", "long-context", "math", "physics", "software"),
)
EVAL_ID = "20260101-130000-evalu"
RUNNING = 4


def enter_eval(store: Store, now: float, tasks: int = 12, share: float = 0.6) -> ledger.EvalSummary:
    """Store an evaluation with the given share of its samples finished and four running."""
    made = tuple(
        Task(id=f"{domain}/{number:03}", problem="?", target="42", domain=domain)
        for number in range(1, tasks + 1)
        for domain in DOMAINS
    )
    suite = Suite(name="pocket", tasks=made, scorers={"": "exact"})
    info = EvalInfo(
        id=EVAL_ID,
        suite=suite.name,
        digest="0123456789abcdef",
        model="qwen3-coder",
        concurrency=RUNNING,
        began_at=now - 900,
    )
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=load({})))
    rows = ledger.results(store, EVAL_ID)
    rng = random.Random(13)
    over = round(share * len(rows))
    for at, row in enumerate(rows[: min(len(rows), over + RUNNING)]):
        ended = now - 880 + 860 * at / over
        ledger.finish(store, EVAL_ID, _over(row, ended, rng) if at < over else _begun(row, now, at))
    return ledger.summary(store, EVAL_ID)


def _begun(row: SampleResult, now: float, at: int) -> SampleResult:
    return msgspec.structs.replace(
        row, status="running", run_id=f"run-{at}", attempts=1, began_at=now - 3 * (at % 7) - 2
    )


def _over(row: SampleResult, ended: float, rng: random.Random) -> SampleResult:
    has_computer = row.mode != "vanilla"
    right = rng.random() < (0.65 if has_computer else 0.35)
    calls = rng.randrange(2, 12) if has_computer else 0
    read = 42 if right else rng.randrange(1000)
    is_cut = not right and calls > 8
    fields = {
        "status": "scored",
        "run_id": f"{row.mode}-{row.task}",
        "attempts": 1,
        "score": float(right),
        "explanation": f"{read} is to be 42",
        "answer": None if read % 5 == 1 else str(read),
        "finish_reason": "max_steps" if is_cut else "submitted",
        "seconds": 4.0 + calls * 3 * rng.random(),
        "steps": calls or 1,
        "calls": calls,
        "input_tokens": 800 + 900 * calls,
        "output_tokens": rng.randrange(50, 600),
        "began_at": ended - 20,
        "ended_at": ended,
    }
    if rng.random() < 0.04:
        error = "The server does not answer: connection refused."
        fields |= {"status": "failed", "score": None, "explanation": "", "error": error}
        fields |= {"finish_reason": "model_error", "answer": None}
    if fields["answer"] is None and fields["explanation"]:
        fields["explanation"] = "There is no answer."
    return msgspec.structs.replace(row, **fields)
