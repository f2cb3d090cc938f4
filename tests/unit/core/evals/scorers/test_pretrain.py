"""How instruct_pretrain routes tasks to scorers, graded by hand."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from sandbox_tui.core.evals.scorers.base import Attempt
from sandbox_tui.core.evals.scorers.paper.pretrain import scorer_for
from sandbox_tui.core.evals.task import Task
from tests.unit.core.evals.scorers.graded import graded

installed = pytest.mark.skipif(find_spec("math_verify") is None, reason="needs the extra `evals`")

SINGLE, FREE = {"qa_type": "Multiple Choice"}, {"qa_type": "free-form"}

ROUTES = [
    ("math_mini", {}, "1", "math_verify"),
    ("physics", {}, "1", "math_verify"),
    ("chem", {}, "A", "choice"),
    ("Biomed", {}, "A", "choice"),
    ("instruct_follow", {}, "{}", "ifbench"),
    ("instruct_pretrain", SINGLE, "A", "choice"),
    ("instruct_pretrain", SINGLE, "A, B", "multiple_choice"),
    ("long_context", SINGLE, "A", "choice"),
    ("instruct_pretrain", FREE, "A, B", None),
    ("long_context", {}, "1912", None),
    ("long_context", {"qa_type": None}, "1912", None),
    ("poetry", SINGLE, "A", "choice"),
]


@pytest.mark.parametrize(("domain", "metadata", "target", "name"), ROUTES)
def test_a_task_is_routed(
    domain: str, metadata: dict[str, str | None], target: str, name: str | None
) -> None:
    task = Task(id="t", problem="p", target=target, domain=domain, metadata=metadata)
    scorer = scorer_for(Attempt(task=task, mode="vanilla", answer="x"))
    assert (scorer.name if scorer else None) == name


GRADED = [
    # domain, metadata, answer, target, score
    ("math", {}, "\\boxed{70}", "70", 1),
    ("math", {}, "71", "70", 0),
    ("physics", {}, "\\boxed{7}", "07", 1),
    ("chem", {}, "Answer: B", "B", 1),
    ("chem", {}, "Answer: A", "B", 0),
    ("biomed", {}, "(J)", "J", 1),
    ("instruct_pretrain", SINGLE, "C", "C", 1),
    ("instruct_pretrain", SINGLE, "D", "C", 0),
    ("instruct_pretrain", SINGLE, "A, C", "A, C", 1),
    ("instruct_pretrain", SINGLE, "A", "A, C", 2 / 3),
    ("instruct_pretrain", SINGLE, "B", "A, C", 0),
    ("instruct_pretrain", SINGLE, "", "A, C", 0),
    ("instruct_pretrain", SINGLE, None, "C", 0),
    ("instruct_pretrain", FREE, "1912", "1912", 1),
    ("instruct_pretrain", FREE, "", "1912", 0),
    ("instruct_pretrain", FREE, None, "1912", 0),
    ("instruct_pretrain", FREE, "the same words", "the same words", 1),
    ("long_context", {}, "2,000", "2000", 1),
    ("long_context", {}, "in the year 1912", "1912", 0.4),
    ("long_context", {}, "the cat sat", "the cat sat on the mat", 2 / 3),
    ("long_context", {}, "nothing", "the cat", 0),
]


@installed
@pytest.mark.parametrize(("domain", "metadata", "answer", "target", "value"), GRADED)
async def test_graded_as_by_the_reference(
    domain: str, metadata: dict[str, str], answer: str | None, target: str, value: float
) -> None:
    score = await graded("pretrain", answer, target, domain=domain, metadata=metadata)
    assert score.value == pytest.approx(value)
