"""IFBench: answers graded by hand, checked with the package and with a clone of its repository."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.evals.scorers.base import ScorerFailed
from sandbox_tui.core.evals.scorers.paper import ifbench
from sandbox_tui.core.evals.scorers.paper.ifbench import loose_readings, missed_instructions
from sandbox_tui.core.evals.worker import WorkerCall, WorkerFailed
from tests.unit.core.evals.scorers.graded import graded

installed = pytest.mark.skipif(find_spec("if_verifiable") is None, reason="needs `ifbench`")

CLONE = """
class Exactly:
    def __init__(self, name): self.name = name
    def build_description(self, *, text=None, prompt=None):
        if text is not None: self.text = text
        self.prompt = prompt
    def get_instruction_args(self): return {"text": self.text}
    def check_following(self, value):
        if value == "raise": raise IndexError("list index out of range")
        if value == "data": raise LookupError("Resource punkt_tab not found")
        return value == self.text

class Shorter(Exactly):
    def get_instruction_args(self): return {"prompt": ""}
    def check_following(self, value): return len(value) < len(self.prompt)

INSTRUCTION_DICT = {"x:exactly": Exactly, "x:shorter": Shorter}
"""


def target(*instructions: tuple[str, dict[str, Any]]) -> str:
    names, arguments = zip(*instructions, strict=True)
    return json.dumps({"instruction_id_list": names, "kwargs": arguments})


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("nltk")
    (tmp_path / "instructions_registry.py").write_text(CLONE)
    monkeypatch.setenv("IFBENCH_PATH", str(tmp_path))
    return tmp_path


MULTIPLES = ("custom:multiples", {})
NEWLINE = ("format:newline", {})
NO_SPACE = ("format:no_whitespace", {})
LOOP = ("words:alphabet", {})
PALINDROMES = ("words:palindrome", {})
QUOTES = ("format:quotes", {})

GRADED = [
    # answer, instructions, loose result, strict result
    ("word", [NO_SPACE], 1, 1),
    ("two words", [NO_SPACE], 0, 0),
    ("Sure:\nword", [NO_SPACE], 1, 0),
    ("word\nThat is all.", [NO_SPACE], 1, 0),
    ("Sure:\nword\nThat is all.", [NO_SPACE], 1, 0),
    ("Sure: word", [NO_SPACE], 0, 0),
    ("one\ntwo\nthree", [NEWLINE], 1, 1),
    ("one two\nthree", [NEWLINE], 1, 0),
    ("one two three", [NEWLINE], 0, 0),
    ("**apples** by cars", [LOOP], 1, 1),
    ("one\ntwo", [NEWLINE, NEWLINE], 1, 1),
    ("one\ntwo", [NEWLINE, NO_SPACE], 1, 0),
    ("one", [NEWLINE, NO_SPACE], 1, 1),
    ("apples by cars", [LOOP], 1, 1),
    ("apples cars by", [LOOP], 0, 0),
    ("apples by cars", [LOOP, NO_SPACE], 0, 0),
    ("14 21 28 35 42 49", [MULTIPLES], 1, 1),
    ("14 21 28 35 42", [MULTIPLES], 0, 0),
    ("level radar civic kayak rotor refer stats madam solos tenet deified", [PALINDROMES], 1, 1),
    ("level", [PALINDROMES], 0, 0),
    # hostile
    ("", [NO_SPACE], 0, 0),
    ("\x00\x1b[31m", [QUOTES], 0, 0),
    ("*" * 3, [LOOP], 0, 0),
    ("\n" * 50, [NO_SPACE], 0, 0),
]


def grade_all() -> list[tuple[bool, bool]]:
    """Whether each answer follows loosely, and strictly; one worker runs this for all answers."""
    return [(follows(wanted, loose_readings(answer)), follows(wanted, [answer]))
            for answer, wanted, *_ in GRADED]  # fmt: skip


def follows(wanted: list[tuple[str, dict[str, Any]]], readings: list[str]) -> bool:
    return not missed_instructions("", wanted, readings, "p")


@installed
def test_graded_by_the_package() -> None:
    found = WorkerCall(grade_all, (), timeout=120).run()
    for (answer, wanted, loosely, strictly), (loose, strict) in zip(GRADED, found, strict=True):
        assert (answer, wanted, loose, strict) == (answer, wanted, bool(loosely), bool(strictly))


def test_the_five_readings_of_an_answer() -> None:
    assert loose_readings("a\n*b*\nc") == ["a\n*b*\nc", "a\nb\nc", "*b*\nc", "a\n*b*", "*b*"]
    assert loose_readings("a") == ["a", "a", "", "", ""]


@installed
async def test_in_a_process_of_its_own() -> None:
    score = await graded("ifbench", "Sure:\nword", target(NO_SPACE, NO_SPACE))
    assert score.value == 1
    score = await graded("ifbench", "Sure:\nword", target(NO_SPACE), options={"reading": "strict"})
    assert score.value == 0
    assert "format:no_whitespace" in score.explanation


async def test_a_clone_is_used_where_it_is_named(clone: Path) -> None:
    wanted = target(("x:exactly", {"text": "yes", "other": None}))
    assert (await graded("ifbench", "Well:\nyes", wanted)).value == 1
    assert (await graded("ifbench", "no", wanted)).value == 0
    assert (await graded("ifbench", "raise", wanted)).value == 0


async def test_a_check_may_need_the_problem(clone: Path) -> None:
    wanted = target(("x:shorter", {}))
    assert (await graded("ifbench", "1234", wanted, problem="12345")).value == 1
    assert (await graded("ifbench", "12345", wanted, problem="12345")).value == 0


@pytest.mark.parametrize(
    ("answer", "wanted", "words"),
    [
        ("a", target(("x:unknown", {})), "there is no check x:unknown"),
        ("a", target(("x:exactly", {"texts": "a"})), "unexpected keyword argument"),
        ("data", target(("x:exactly", {"text": "a"})), "python -m nltk.downloader punkt_tab"),
        ("a", "{", "is not JSON with instruction_id_list"),
        ("a", '{"kwargs": []}', "is not JSON with instruction_id_list"),
        (
            "a",
            '{"instruction_id_list": ["a"], "kwargs": []}',
            "is not JSON with instruction_id_list",
        ),
    ],
)
async def test_an_answer_that_cannot_be_checked_is_not_wrong(
    clone: Path, answer: str, wanted: str, words: str
) -> None:
    with pytest.raises(ScorerFailed) as caught:
        await graded("ifbench", answer, wanted)
    assert words in str(caught.value)


async def test_a_clone_without_its_packages_is_named(clone: Path) -> None:
    (clone / "instructions_registry.py").write_text("import no_such_package")
    with pytest.raises(ScorerFailed, match="needs the package no_such_package"):
        await graded("ifbench", "a", target(("x:exactly", {})))


async def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    async def call(*_arguments: object, **_named: object) -> list[str]:
        raise WorkerFailed("failed", missing="if_verifiable")

    monkeypatch.setattr(ifbench, "call_in_worker", call)
    monkeypatch.delenv("IFBENCH_PATH", raising=False)
    with pytest.raises(ScorerFailed, match=r"pip install 'sandbox-tui\[ifbench\]'"):
        await graded("ifbench", "a", target(("x", {})))


async def test_no_answer_follows_nothing() -> None:
    assert (await graded("ifbench", None, target(NO_SPACE))).value == 0


async def test_the_columns_of_the_data_set_will_do(clone: Path) -> None:
    columns = {"instruction_id_list": ["x:exactly"], "kwargs": [{"text": "yes"}]}
    assert (await graded("ifbench", "yes", "", metadata=columns)).value == 1
