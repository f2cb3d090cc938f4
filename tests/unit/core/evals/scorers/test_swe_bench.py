"""Extracts the patch from an answer, and scores the harness's reports.

The harness itself runs in tests/integration/test_eval_scorers.py.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.scorers.paper import swe_bench
from sandbox_tui.core.evals.scorers.paper.swe_bench import COLUMNS, SweBench, patch_in
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.evals.worker import WorkerFailed

GIT = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"
PLAIN = "--- x.py\n+++ x.py\n@@ -1 +1 @@\n-a\n+b\n"

PATCHES = [
    (GIT, GIT),
    (PLAIN, PLAIN),
    (f"```diff\n{GIT}```", GIT),
    (f"```patch\n{GIT}```", GIT),
    (f"```\n{GIT}```", GIT),
    (f"```diff  \n{PLAIN}```\n", PLAIN),
    (f"This is the fix.\n\n```diff\n{GIT}```\nIt passes.", GIT),
    (f"First\n```diff\n{PLAIN}```\nno, better:\n```diff\n{GIT}```", GIT),
    (f"```python\nprint(1)\n```\n```diff\n{GIT}```", GIT),
    (f"```diff\n{GIT}```\nTest it:\n```\nmake test\n```", GIT),
    (f"The change:\n{GIT}", GIT),
    (f"{GIT}\n\n\n", GIT),
    (GIT.rstrip("\n"), GIT),
    (f"```diff\n{GIT}", f"{GIT}"),
    ("I changed x.py.", ""),
    ("", ""),
    ("```diff\n```", ""),
    ("a --- b", ""),
    ("---\ntitle: x\n---\n", ""),
    ("\x00\x1b[31m", ""),
    ("```" * 1000, ""),
    (f"<think>\n{PLAIN}</think>\n```diff\n{GIT}```", GIT),
]


@pytest.mark.parametrize(("answer", "patch"), PATCHES)
def test_the_patch_in_an_answer(answer: str, patch: str) -> None:
    assert patch_in(answer) == patch


@given(st.text("`dif-+ \nab", max_size=80))
def test_any_answer_has_a_patch_or_none(answer: str) -> None:
    patch = patch_in(answer)
    assert patch == "" or patch.startswith(("diff --git ", "--- "))


def task(**more: Any) -> Task:
    metadata = {column: "x" for column in COLUMNS if column != "image"}
    return Task(id="t", problem="p", target=GIT, image="i", metadata=metadata | more)


async def score_of(report: Any, monkeypatch: pytest.MonkeyPatch, answer: str | None = GIT) -> Score:
    asked: list[Any] = []

    async def call(function: Any, *arguments: Any, **_named: Any) -> Any:
        asked.append((function.__name__, arguments))
        if isinstance(report, Exception):
            raise report
        return report

    monkeypatch.setattr(swe_bench, "call_in_worker", call)
    score = await SweBench().score(Attempt(task=task(), mode="vanilla", answer=answer))
    if asked:
        assert asked[0][0] == "evaluate"
        assert asked[0][1][0] == {"instance_id": "t", **dict.fromkeys(COLUMNS, "x"), "image": "i"}
        assert asked[0][1][1] == answer
    return score


def failed(*counts: int) -> dict[str, Any]:
    kinds = ("FAIL_TO_PASS", "PASS_TO_PASS")
    lists = {kind: {"failure": ["x"] * n} for kind, n in zip(kinds, counts, strict=True)}
    return {"resolved": False, "patch_successfully_applied": True, "tests_status": lists}


@pytest.mark.parametrize(
    ("report", "value", "words"),
    [
        ({"resolved": True, "patch_successfully_applied": True}, 1, "All required tests pass"),
        (failed(1, 0), 0, "1 required tests fail"),
        (failed(2, 3), 0, "5 required tests fail"),
        ({"patch_successfully_applied": False}, 0, "does not apply"),
        ({"timed_out": True}, 0, "took too long"),
    ],
)
async def test_a_report_is_a_score(
    monkeypatch: pytest.MonkeyPatch, report: dict[str, Any], value: float, words: str
) -> None:
    score = await score_of(report, monkeypatch)
    assert score.value == value
    assert words in score.explanation


@pytest.mark.parametrize("answer", [None, "", "I cannot."])
async def test_no_patch_needs_no_harness(
    monkeypatch: pytest.MonkeyPatch, answer: str | None
) -> None:
    assert (await score_of(AssertionError(), monkeypatch, answer)).value == 0


@pytest.mark.parametrize(
    ("report", "words"),
    [
        ({"infra_failure": True, "infra_failure_reason": "out_of_memory"}, "out_of_memory"),
        (WorkerFailed("evaluate took longer than 9 s"), "took longer"),
        (WorkerFailed("x", missing="swebench"), "pip install 'sandbox-tui[swebench]'"),
    ],
)
async def test_a_failed_harness_gives_no_score(
    monkeypatch: pytest.MonkeyPatch, report: Any, words: str
) -> None:
    with pytest.raises(ScorerFailed) as caught:
        await score_of(report, monkeypatch)
    assert words in str(caught.value)


@pytest.mark.parametrize("column", COLUMNS)
async def test_a_task_without_a_column_is_named(column: str) -> None:
    bare = task(**{column: ""}) if column != "image" else Task(id="t", problem="p", target="")
    with pytest.raises(ScorerFailed, match="has no column"):
        await SweBench().score(Attempt(task=bare, mode="vanilla", answer=GIT))
