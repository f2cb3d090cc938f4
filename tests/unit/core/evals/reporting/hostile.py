"""An evaluation whose every text attacks the program that displays it."""

from __future__ import annotations

import msgspec

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleResult
from tests.unit.core.evals.reporting.sample_results import INFO, result

HOSTILE = (
    "</td></table><script>alert(1)</script><img src=x onerror=alert(2)>"
    "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\ud800\r\n| x | [y](javascript:alert(3)) `z` =1+1 \0"
)

HOSTILE_INFO: EvalInfo = msgspec.structs.replace(
    INFO,
    id=HOSTILE,
    suite=HOSTILE,
    digest=HOSTILE,
    model=HOSTILE,
    params={HOSTILE: HOSTILE},
    sandbox=HOSTILE,
    image=HOSTILE,
    command=HOSTILE,
)


def hostile_results() -> list[SampleResult]:
    """Scored, unscored and failed samples with the hostile text in every field."""
    texts = dict.fromkeys(
        ("domain", "run_id", "scorer", "explanation", "answer", "target", "finish_reason", "error"),
        HOSTILE,
    )
    return [
        result(HOSTILE, "vanilla", 1.0, **texts),
        result(HOSTILE, "sandbox", 0.0, **texts),
        result("=2+2", "sandbox", status="unscored", **texts),
        result("../../etc/passwd", "sandbox", status="failed", **texts | {"run_id": "../../x"}),
    ]
