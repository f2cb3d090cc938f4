"""A task folder of the reference, run unchanged: its directories, its prompts, its reward.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.suite_file import load_suite
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.evals.evaluation import begin_evaluation
from sandbox_tui.sessions.evals.runner import EvalRunner
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from tests import scripted_server as s
from tests.integration.conftest import TEST_IMAGE, require

CONFIG = """\
dataset: "json"
data_files: "sums/data.json"
split: "train"
system_prompt: |-
  Work in {working_dir}.
instance_prompt: |-
  <problem>{problem_statement}</problem> Files are in {input_dir}, the answer goes to {output_dir}.
input_dir: "/testbed/given"
output_dir: "/testbed/out"
working_dir: "/testbed/work"
"""

REWARD = """\
def compute_score(agent_answer: str, ground_truth: str, **kwargs) -> float:
    return 1.0 if agent_answer.strip() == ground_truth else 0.0
"""

ADD = "pwd; awk '{n += $1} END {print n}' /testbed/given/numbers.txt > /testbed/out/answer.txt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "sums"
    folder.mkdir()
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "reward.py").write_text(REWARD)
    row = {
        "id": "demo_004",
        "domain": "demo",
        "problem_statement": "Add the numbers.",
        "ground_truth": "42",
        "input_files": {"numbers.txt": "17\n25"},
    }
    (folder / "data.json").write_text(json.dumps([row]))
    return folder


def adds_the_numbers(request: dict[str, Any]) -> s.Scripted:
    """With a computer, adds up the file; without one, guesses."""
    if "tools" not in request:
        return s.say("41")
    if any(message["role"] == "tool" for message in request["messages"]):
        return s.call("submit")
    return s.call("execute_bash", command=ADD)


@pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
async def test_its_files_are_found_in_its_own_directories(
    kind: str,
    folder: Path,
    store: Store,
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    """The reference puts them elsewhere, which makes its own demo unsolvable."""
    require(kind)
    server = scripted_server(adds_the_numbers)
    settings = load(
        {
            "model.name": "scripted",
            "model.base_url": server.url,
            "sandbox.kind": kind,
            "sandbox.image": TEST_IMAGE,
        }
    )
    evaluation = begin_evaluation(store, load_suite(str(folder)), settings, concurrency=1)
    await EvalRunner(evaluation, RunRegistry(store)).run()
    vanilla, sandbox = ledger.results(store, evaluation.info.id)
    assert (vanilla.mode, vanilla.answer, vanilla.score) == ("vanilla", "41", 0.0)
    assert (sandbox.mode, sandbox.score, sandbox.scorer) == ("sandbox", 1.0, "reference_reward")
    assert (sandbox.answer or "").strip() == "42"
    asked = [request["messages"] for request in server.requests if "tools" in request]
    assert asked[0][0]["content"].startswith("Work in /testbed/work.")
    assert "/testbed/work" in asked[1][-1]["content"]
