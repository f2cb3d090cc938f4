"""Hidden tests of programs, in real sandboxes: correct programs pass, and nothing else does."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator

import pytest

from sandbox_tui.core.evals.pocket.suite import pocket_tasks
from sandbox_tui.core.evals.sample import EvalMode
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.sandboxes.base import Sandbox
from tests.integration.conftest import make

TASKS = pocket_tasks(per_domain=4, domains=("software",))


async def scored(
    task: Task, answer: str | None, sandbox: Sandbox, mode: EvalMode = "vanilla", **options: float
) -> Score:
    """The score of an answer, in a sandbox of the same kind as the given one."""

    @contextlib.asynccontextmanager
    async def fresh() -> AsyncGenerator[Sandbox]:
        other = make(sandbox.kind)
        await other.start()
        try:
            yield other
        finally:
            await other.close()

    own = sandbox if mode == "sandbox" else None
    attempt = Attempt(task=task, mode=mode, answer=answer, sandbox=own, fresh_sandbox=fresh)
    return await scorer_named("hidden_tests", options).score(attempt)


async def test_targets_pass_and_broken_programs_fail(sandbox: Sandbox) -> None:
    for task in TASKS:
        good = await scored(task, task.target, sandbox)
        assert good.value == 1, (task.id, good)
        broken = await scored(task, task.files[task.metadata["program"]].decode(), sandbox)
        assert broken.value == 0
        assert "first failure: " in broken.explanation


async def test_honest_ways_to_hand_a_program_in(sandbox: Sandbox) -> None:
    task = TASKS[0]
    name = task.metadata["program"]
    for answer in (
        f"```python\n{task.target}```",
        f"I found the bug: one comparison was off.\n\n```python\n{task.target}\n```\nThat is all.",
        f"```\n# a sketch\n```\nand the whole:\n```py\n{task.target}```",
        f"```python\n{task.target}",
        task.target.replace("\n", "\r\n"),
    ):
        assert (await scored(task, answer, sandbox)).value == 1, answer
    path = f"{sandbox.spec.output_dir}/{name}"
    await sandbox.write_file(path, task.target.encode())
    assert (await scored(task, f"{path}\n", sandbox, "sandbox")).value == 1
    assert (await scored(task, f"/nowhere/{name}", sandbox, "sandbox")).value == 0
    assert (await scored(task, path, sandbox, "vanilla")).value == 0


HOSTILE = {
    "leaves": "import os\nos._exit(0)",
    "leaves with results": (
        "import json, os\njson.dump([{'value': None}] * 999, open('results.json', 'w'))\nos._exit(0)"
    ),
    "writes no JSON": "import os\nopen('results.json', 'w').write('[' * 99999)\nos._exit(0)",
    "says it passed": "print('OK')\nprint('0 failures')",
    "equals everything": (
        "class All(dict):\n    def __eq__(self, other): return True\n"
        "def __getattr__(name): return lambda *a: All()"
    ),
    "breaks json": "import json\njson.dumps = lambda x: '1'\njson.loads = lambda x: 1",
    "raises": "raise SystemExit(0)",
    "no Python": "I could not find the bug, sorry.",
    "nothing": "",
    "unicode": "\ud800\u202e",
    "endless": "while True: pass",
    "huge": "#" * 300_000,
}


@pytest.mark.parametrize("case", HOSTILE)
async def test_nothing_else_passes(sandbox: Sandbox, case: str) -> None:
    score = await scored(TASKS[0], HOSTILE[case], sandbox, timeout=3)
    assert score.value == 0
    assert score.explanation


async def test_the_expected_results_never_enter_the_sandbox(sandbox: Sandbox) -> None:
    task = TASKS[0]
    name = task.metadata["program"]
    spy = "import os\nraise ValueError(sorted(os.listdir('.')))"
    score = await scored(task, spy, sandbox)
    assert score.explanation.endswith(f"ValueError: {sorted(['calls.json', 'harness.py', name])}")


async def test_no_answer_and_no_sandbox() -> None:
    scorer = scorer_named("hidden_tests")
    with pytest.raises(ScorerFailed):
        await scorer.score(Attempt(task=TASKS[0], mode="vanilla", answer="x = 1"))
