"""Answers that attack their grader."""

from __future__ import annotations

import contextlib
from importlib.util import find_spec
from pathlib import Path

import pytest

from sandbox_tui.core.evals.scorers.paper.ifbench import loose_readings, missed_instructions
from sandbox_tui.core.evals.scorers.paper.math_verify import compare
from sandbox_tui.core.evals.scorers.paper.rouge import rouge_l
from sandbox_tui.core.evals.worker import WorkerCall

FORMS = (
    "{}", "$ {} $", "1+{}", "{} = 3", "x_{{{}}}", "\\text{{{}}}", "\\operatorname{{{}}}", "({}, 2)",
    "\\{{ {} \\}}", "\\frac{{{}}}{{2}}", "\\int {} dx", "3 {}", "{} \\%", "\\mathrm{{{}}}(3)",
)  # fmt: skip

TARGETS = ("204", "\\{1, 2\\}", "x_1")


def grade_hostile_answers(file: str) -> list[str]:
    """The answers that created the file; called in a worker, as for every answer."""
    attacks = [
        f"__import__('pathlib').Path('{file}').touch()",
        f'open("{file}", "w")',
        f"exec(\"open('{file}', 'w')\")",
        f"$(touch {file})",
        f"\\immediate\\write18{{touch {file}}}",
        f"\\input{{|touch {file}}}",
    ]
    assert compare("1/2", "0.5")
    assert rouge_l("a cat", "a cat") == 1
    assert not missed_instructions("", [("format:no_whitespace", {})], ["a"], "p")
    caught: list[str] = []
    for answer in (form.format(attack) for form in FORMS for attack in attacks):
        for target in (*TARGETS, answer):
            with contextlib.suppress(Exception):
                compare(answer, target)
            with contextlib.suppress(Exception):
                rouge_l(answer, target)
        with contextlib.suppress(Exception):
            wanted = [("custom:multiples", {}), ("format:quotes", {}), ("custom:csv_city", {})]
            missed_instructions("", wanted, loose_readings(answer), answer)
        if Path(file).exists():
            caught.append(answer)
            Path(file).unlink()
    return caught


def test_no_answer_is_run_as_code(tmp_path: Path) -> None:
    for package in ("math_verify", "nltk", "if_verifiable"):
        if find_spec(package) is None:
            pytest.skip(f"needs {package}")
    call = WorkerCall(grade_hostile_answers, (str(tmp_path / "made"),), timeout=240)
    assert call.run() == []
