"""What a computer saves on long documents: tokens per query as the server counts them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import pytest

from sandbox_tui.core.evals.pocket.long_context import archive
from sandbox_tui.core.evals.pocket.suite import pocket_tasks
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.evals.evaluation import begin_evaluation
from sandbox_tui.sessions.evals.runner import EvalRunner
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_evals import settings
from tests.unit.core.evals.pocket.reports import Read, total

Start = Callable[..., s.ScriptedServer]

DOCUMENT_TOKENS = 100_000
CONTEXT_TOKENS = 160_000
MIN_SAVING = 8
"""The factor by which the paper reduces the token count (arXiv 2601.16206)."""


def tokens(value: Any) -> int:
    """Count a token per four bytes sent: text as it is, tools and calls as JSON."""
    data = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return -(-len(data.encode()) // 4)


@dataclass
class Reader:
    """A model that reads what is in its prompt; with a computer it greps first.

    Args:
        tasks: the suite's tasks.

    Attributes:
        counted: tokens of each request and its reply, by task and by whether the prompt holds
            all documents.
    """

    tasks: tuple[Task, ...]
    counted: dict[tuple[str, bool], list[int]] = field(default_factory=dict)

    def __call__(self, request: dict[str, Any]) -> s.Scripted:
        messages = request["messages"]
        question = next(m["content"] for m in messages if m["role"] == "user")
        task = next(task for task in self.tasks if task.problem in question)
        if not request.get("tools"):
            text, call = str(total(Read([question]), task.problem)), None
        else:
            text, call = "", self._next_call(messages, task)
        asked = tokens(messages) + tokens(request.get("tools", []))
        replied = tokens(text) if call is None else tokens(call)
        self.counted.setdefault((task.id, call is None), []).append(asked + replied)
        pieces = [s.chunk({"content": text})] if call is None else s.fragments(0, *call, "call_0")
        end = s.chunk({}, "stop" if call is None else "tool_calls")
        return s.stream(*pieces, end, s.usage(asked, replied), s.DONE)

    @staticmethod
    def _next_call(messages: list[dict[str, Any]], task: Task) -> tuple[str, str]:
        """Grep for the carrier's sentences, add up the amounts, submit the total."""
        seen = [message["content"] for message in messages if message["role"] == "tool"]
        if len(seen) == 2:
            return "submit", "{}"
        if seen:
            sentences = ". ".join(line.strip() for line in seen[0].splitlines())
            command = f"echo {total(Read([sentences]), task.problem)} >output/answer.txt"
        else:
            pattern = rf"[^.!?]*{carrier_of(task)}[^.!?]*[.!?]"
            command = f"grep -ohE {shlex.quote(pattern)} input/*.txt"
        return "execute_bash", json.dumps({"command": command})


def carrier_of(task: Task) -> str:
    found = re.search(r"(?:ship|mule train) ([\w ]+?) (?:landed|delivered|add)", task.problem)
    assert found is not None, task.problem
    return found[1]


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> tuple[Task, ...]:
    """Tasks that sum over archives of `DOCUMENT_TOKENS` tokens."""
    monkeypatch.setattr(archive, "TOKENS", (DOCUMENT_TOKENS,) * 3)
    made = pocket_tasks(per_domain=21, domains=("long_context",), levels=(2, 3))
    return tuple(task for task in made if task.metadata["family"] == "total")


@pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
async def test_a_computer_takes_an_eighth_of_the_tokens_of_long_documents(
    kind: str, tasks: tuple[Task, ...], scripted_server: Start, store: Store
) -> None:
    require(kind)
    assert len(tasks) >= 3
    for task in tasks:
        length = sum(map(len, task.files.values())) / archive.BYTES_PER_TOKEN
        assert length == pytest.approx(DOCUMENT_TOKENS, rel=0.02)
    model = Reader(tasks)
    server = scripted_server(model)
    server.models, server.model_fields = ["scripted"], {"max_model_len": CONTEXT_TOKENS}
    suite = Suite(name="long", tasks=tasks)
    evaluation = begin_evaluation(store, suite, settings(server, kind), concurrency=2)
    await EvalRunner(evaluation, RunRegistry(store)).run()

    results = ledger.results(store, evaluation.info.id)
    assert [(one.status, one.score, one.cut_documents) for one in results] == [
        ("scored", 1.0, 0) for _ in range(2 * len(tasks))
    ]
    spent = {mode: [] for mode in ("vanilla", "sandbox")}
    for one in results:
        assert not one.estimated
        assert one.input_tokens + one.output_tokens == sum(
            model.counted[one.task, one.mode == "vanilla"]
        )
        spent[one.mode].append(one.input_tokens + one.output_tokens)
    assert min(spent["vanilla"]) > DOCUMENT_TOKENS
    assert fmean(spent["vanilla"]) / fmean(spent["sandbox"]) >= MIN_SAVING
