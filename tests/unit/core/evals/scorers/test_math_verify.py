r"""Mathematics, graded by hand as math-verify reads the last `\boxed{}`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from sandbox_tui.core.evals.scorers.base import ScorerFailed
from sandbox_tui.core.evals.scorers.paper import math_verify
from sandbox_tui.core.evals.scorers.paper.math_verify import compare, equal_without_algebra
from sandbox_tui.core.evals.worker import WorkerFailed
from tests.unit.core.evals.scorers.graded import graded

installed = pytest.mark.skipif(
    find_spec("math_verify") is None,
    reason="needs the extra `evals`",
)

AS_THE_REFERENCE = [
    # right
    (r"\boxed{204}", "204", 1),
    ("204", "204", 1),
    ("  204\n", "204", 1),
    (r"First \boxed{1}; finally \boxed{204}.", "204", 1),
    (r"\boxed{+204}", "204", 1),
    (r"\boxed{070}", "70", 1),
    (r"\boxed{\boxed{70}}", "70", 1),
    (r"\boxed{0.5}", r"\frac{1}{2}", 1),
    (r"\boxed{1/2}", r"\frac{1}{2}", 1),
    (r"\boxed{\dfrac{2}{4}}", r"\frac{1}{2}", 1),
    (r"\boxed{1,234}", "1234", 1),
    (r"\boxed{2^{10}}", "1024", 1),
    (r"\boxed{x+1}", "1+x", 1),
    (r"\boxed{(1,2)}", "(1, 2)", 1),
    (r"\boxed{\sqrt{8}}", r"2\sqrt{2}", 1),
    (r"\boxed{-3}", "-3", 1),
    # wrong
    (r"\boxed{205}", "204", 0),
    ("205", "204", 0),
    (r"\boxed{204} no, \boxed{205}", "204", 0),
    (r"\boxed{-204}", "204", 0),
    (r"\boxed{x+2}", "1+x", 0),
    (r"\boxed{(2,1)}", "(1, 2)", 0),
    (r"\boxed{two hundred and four}", "204", 0),
    # hostile
    ("", "204", 0),
    (r"\boxed{}", "204", 0),
    ("\\boxed{\x00\x1b}", "204", 0),
    (r"\boxed{204; import os}", "205", 0),
    (r"\boxed{__import__('os').system('false')}", "204", 0),
    (r"\boxed{\input{/etc/passwd}}", "204", 0),
    ("9" * 5000, "204", 0),
]

BETTER_THAN_THE_REFERENCE = [
    # answer, target, our score, the reference's score
    (r"\boxed{204} and so \boxed{", "204", 1, 0),
    (r"<think>\boxed{1}</think>204", "204", 1, 0),
    (r"\boxed{(C) both of them}", "(C) both of them", 1, 1),
]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare in this process, so that the library's import (a second or two) is paid for once."""

    async def call(function: Callable[..., Any], *arguments: Any, **_named: object) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            raise WorkerFailed(str(error)) from error

    monkeypatch.setattr(math_verify, "call_in_worker", call)


@installed
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("answer", "target", "value"), AS_THE_REFERENCE)
async def test_graded_as_by_the_reference(answer: str, target: str, value: float) -> None:
    assert (await graded("math_verify", answer, target)).value == value


@installed
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("answer", "target", "ours", "_theirs"), BETTER_THAN_THE_REFERENCE)
async def test_graded_better(answer: str, target: str, ours: float, _theirs: float) -> None:
    assert (await graded("math_verify", answer, target)).value == ours


async def test_no_answer_is_wrong() -> None:
    assert (await graded("math_verify", None, "204")).value == 0


@pytest.mark.parametrize(
    ("found", "target", "known"),
    [("7", "7", True), ("+7", "7", True), ("007", "7", True), ("7", "8", False), ("x", "x", True),
     ("7.0", "7", None), ("x", "y", None), ("٣", "3", True), ("9" * 500, "1", None)],
)  # fmt: skip
def test_what_needs_no_algebra(found: str, target: str, known: bool | None) -> None:
    assert equal_without_algebra(found, target) is known


@installed
async def test_a_tower_of_powers_does_not_hang() -> None:
    tower = "\\boxed{" + "9^{" * 12 + "9" + "}" * 12 + "}"
    assert (
        await graded("math_verify", tower, r"\frac{1}{3}", options={"timeout": 20.0})
    ).value == 0


@installed
async def test_an_answer_that_takes_too_long_is_wrong_and_not_the_scorers_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []

    async def call(_function: object, found: str, target: str, **named: float) -> bool:
        calls.append(found)
        if found != target:
            raise WorkerFailed(f"compare took longer than {named['timeout']:g} s")
        return True

    monkeypatch.setattr(math_verify, "call_in_worker", call)
    assert (await graded("math_verify", "x^2", "y")).value == 0
    assert calls == ["x^2", "y"]


async def test_a_target_that_cannot_be_read_is_no_wrong_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def call(*_arguments: object, **_named: object) -> bool:
        raise WorkerFailed("compare failed: ValueError: No gold targets found")

    monkeypatch.setattr(math_verify, "call_in_worker", call)
    with pytest.raises(ScorerFailed, match="The target .* cannot be read"):
        await graded("math_verify", "1", "???")


async def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def call(*_arguments: object, **_named: object) -> bool:
        raise WorkerFailed("compare failed", missing="math_verify")

    monkeypatch.setattr(math_verify, "call_in_worker", call)
    with pytest.raises(ScorerFailed, match=r"pip install 'sandbox-tui\[evals\]'"):
        await graded("math_verify", "1.5", "3/2")


def test_the_library_is_not_imported_with_the_scorer() -> None:
    assert compare.__module__ in sys.modules
    assert not hasattr(math_verify, "math_metric")
