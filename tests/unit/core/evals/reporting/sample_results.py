"""An evaluation to report: rows in the ledger's format, with figures that are checkable by hand."""

from __future__ import annotations

import random
from typing import Any

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import EvalMode, SampleResult

INFO = EvalInfo(
    id="e-1",
    suite="pocket",
    digest="0123456789abcdef",
    model="small-0.5b",
    params={"temperature": 0.7, "max_steps": 30},
    concurrency=4,
    sandbox="docker",
    image="sandbox-tui:latest",
    image_size="1100 MB",
    command="sandbox-tui eval run pocket --model small-0.5b",
    began_at=1_767_000_000.0,
    ended_at=1_767_003_600.0,
)

DOMAINS = (
    "biomedicine",
    "chemistry",
    "instructions",
    "long-context",
    "math",
    "physics",
    "software",
)


def result(task: str, mode: EvalMode, score: float | None = None, **more: Any) -> SampleResult:
    """A scored sample; pass `status` for one with another outcome."""
    given: dict[str, Any] = {
        "status": "scored",
        "number": 1,
        "domain": "math",
        "scorer": "exact",
        "answer": "42",
        "run_id": f"{mode}-{task}",
        "attempts": 1,
        "finish_reason": "submitted",
        "seconds": 10.0,
        "steps": 1,
        "input_tokens": 80,
        "output_tokens": 20,
    }
    return SampleResult(task=task, mode=mode, score=score, **(given | more))


def evaluation(tasks: int = 12, seed: int = 1) -> list[SampleResult]:
    """Seven domains in two modes; the sandbox scores slightly better, except in biomedicine."""
    rng = random.Random(seed)
    found: list[SampleResult] = []
    for domain in DOMAINS:
        gain = -0.1 if domain == "biomedicine" else 0.15
        for at in range(tasks):
            task = f"{domain}-{at:03}"
            difficulty = rng.random() * 0.6
            for mode in INFO.modes:
                found.append(_sample(rng, task, domain, mode, difficulty, gain))
    return found


def _sample(
    rng: random.Random, task: str, domain: str, mode: EvalMode, difficulty: float, gain: float
) -> SampleResult:
    sandbox = mode == "sandbox"
    long = domain == "long-context"
    fate = rng.random()
    given: dict[str, Any] = {}
    if fate < 0.02:
        given = {"status": "failed", "finish_reason": "model_error", "error": "It was away."}
    elif fate < 0.04:
        given = {"status": "unscored", "error": "The judge did not answer.", "scorer": "judge"}
    elif sandbox and fate < 0.1:
        given = {"finish_reason": "max_steps"}
    right = rng.random() < 1 - difficulty + (gain if sandbox else 0) - 0.3
    return result(
        task,
        mode,
        None if "status" in given else float(right),
        domain=domain,
        level=1 + int(difficulty * 5),
        answer="42" if right else "a guess",
        target="42",
        began_at=INFO.began_at + 30 * rng.randrange(100),
        seconds=rng.uniform(20, 60) if sandbox else rng.uniform(5, 30),
        steps=rng.randint(3, 14) if sandbox else 1,
        calls=rng.randint(2, 20) if sandbox else 0,
        input_tokens=rng.randint(8_000, 20_000) if sandbox else (95_000 if long else 400),
        output_tokens=rng.randint(500, 2000),
        cost=0.01,
        memory_idle=48_000_000 if sandbox else None,
        memory_peak=rng.randint(60_000_000, 220_000_000) if sandbox else None,
        cut_documents=5_000 if long and not sandbox and difficulty > 0.3 else 0,
        **given,
    )
