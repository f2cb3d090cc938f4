"""Task folders of the reference run unchanged: in their own directories, in a worker process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.sample import EvalMode
from sandbox_tui.core.evals.sample_request import SampleRequests
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.suite_file import load_suite
from sandbox_tui.core.evals.task import VANILLA_PROMPT, Task
from sandbox_tui.core.prompts.pack import load_pack

CONFIG = """
dataset: "json"
data_files: "demo/data.json"
split: "train"
system_prompt: |-
  Work in {working_dir}.
instance_prompt: |-
  <problem>{problem_statement}</problem> Read {input_dir}, write {output_dir}/answer.txt.
input_dir: "/testbed/given"
output_dir: "/testbed/out"
working_dir: "/testbed/work"
"""

REWARD = """
import numbers_of_the_task

print("noise on stdout")

def compute_score(agent_answer: str, ground_truth: str, **kwargs) -> float:
    if agent_answer == "kwargs":
        return 1.0 if kwargs["weight"] == 3 and kwargs["id"] == "demo_004" else 0.0
    if agent_answer == "files":
        return float(kwargs["input_files"]["numbers.txt"] == "17\\n25")
    if agent_answer == "raise":
        raise ValueError("no such thing")
    if agent_answer == "hang":
        while True:
            pass
    if agent_answer == "exit":
        raise SystemExit(0)
    if agent_answer == "two":
        return 2.0
    if agent_answer == "text":
        return "right"
    if agent_answer == "bool":
        return True
    if agent_answer == "":
        return 0.25
    return numbers_of_the_task.RIGHT if agent_answer.strip() == ground_truth else 0.0
"""

PROMPT = """
def create_prompt(problem_data):
    return "Shortly: " + problem_data["problem_statement"] + str(sorted(problem_data["input_files"]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "reward.py").write_text(REWARD)
    (folder / "numbers_of_the_task.py").write_text("RIGHT = 1.0\n")
    row = {
        "id": "demo_004",
        "problem_statement": "Sum {both}.",
        "ground_truth": "42",
        "input_files": {"numbers.txt": "17\n25"},
        "weight": 3,
    }
    (folder / "data.json").write_text(json.dumps([row]))
    return folder


async def score(
    suite: Suite, answer: str | None, mode: EvalMode = "sandbox", **more: float
) -> Score:
    task = suite.tasks[0]
    name = suite.scorer_of(task)
    scorer = scorer_named(name, {**suite.scorer_options[name], **more})
    return await scorer.score(Attempt(task=task, mode=mode, answer=answer))


def test_a_folder_is_a_suite(folder: Path) -> None:
    suite = load_suite(str(folder))
    (task,) = suite.tasks
    assert suite.name == "demo"
    assert (task.id, task.problem, task.target, task.domain) == (
        "demo_004", "Sum {both}.", "42", "demo"
    )  # fmt: skip
    assert task.files == {"numbers.txt": b"17\n25"}
    assert suite.scorer_of(task) == "reference_reward"
    assert VANILLA_PROMPT not in task.metadata


def test_its_own_directories_hold(folder: Path) -> None:
    """The reference reads them from config.yaml but then uses its built-in ones."""
    pack = load_pack(load_suite(str(folder)).prompts)
    assert (pack.working_dir, pack.input_dir, pack.output_dir) == (
        "/testbed/work", "/testbed/given", "/testbed/out"
    )  # fmt: skip
    assert "Sum {both}.</problem> Read /testbed/given, write /testbed/out/a" in pack.instance(
        "Sum {both}."
    )


def test_its_vanilla_prompt_is_made_from_the_row(folder: Path) -> None:
    (folder / "vanilla_llm_prompt.py").write_text(PROMPT)
    (task,) = load_suite(str(folder)).tasks
    assert task.metadata[VANILLA_PROMPT] == "Shortly: Sum {both}.['numbers.txt']"


def test_vanilla_is_asked_with_that_prompt_and_nothing_else(folder: Path) -> None:
    def asked() -> str:
        suite = load_suite(str(folder))
        requests = SampleRequests.of(suite, load(), "e")
        (sample,) = [each for each in suite.plan() if each.key.mode == "vanilla"]
        request = requests.request(sample, 1)
        assert request.pack.system("").strip() == ""
        return request.pack.instance(request.task)

    assert asked().startswith("Sum {both}.\n\nBEGIN DOCUMENT 1: numbers.txt\n17\n25\n")
    (folder / "vanilla_llm_prompt.py").write_text(PROMPT)
    assert asked() == "Shortly: Sum {both}.['numbers.txt']"


@pytest.mark.parametrize(
    ("answer", "value"),
    [("42", 1.0), (" 42\n", 1.0), ("41", 0.0), ("kwargs", 1.0), ("files", 1.0), ("bool", 1.0),
     ("", 0.25), (None, 0.25)],
)  # fmt: skip
async def test_its_reward_scores(folder: Path, answer: str | None, value: float) -> None:
    assert (await score(load_suite(str(folder)), answer)).value == value


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("raise", "ValueError: no such thing"),
        ("exit", "failed"),
        ("two", "returned 2.0, not a number from 0 to 1"),
        ("text", "returned 'right'"),
    ],
)
async def test_a_failed_reward_gives_no_score(folder: Path, answer: str, words: str) -> None:
    with pytest.raises(ScorerFailed) as caught:
        await score(load_suite(str(folder)), answer)
    assert words in str(caught.value)


async def test_a_reward_that_hangs_is_ended(folder: Path) -> None:
    with pytest.raises(ScorerFailed, match=r"longer than 2 s"):
        await score(load_suite(str(folder)), "hang", timeout=2.0)


def test_the_digest_holds_the_reward(folder: Path) -> None:
    before = load_suite(str(folder)).digest()
    (folder / "reward.py").write_text(REWARD + "\n# changed\n")
    assert load_suite(str(folder)).digest() != before


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("reward.py", None, "has no reward.py"),
        ("config.yaml", None, "config.yaml cannot be read"),
        ("config.yaml", "a: [", "is not valid YAML"),
        ("config.yaml", "split: test", "must name a dataset"),
        (
            "config.yaml",
            "dataset: json\ndata_files: nowhere.json",
            "'nowhere.json', which is not a file",
        ),
        ("vanilla_llm_prompt.py", "def create_prompt(row): return row['nope']", "KeyError: 'nope'"),
        ("vanilla_llm_prompt.py", "x = 1", "no attribute 'create_prompt'"),
    ],
)
def test_errors_in_a_folder_are_reported(
    folder: Path, file: str, text: str | None, words: str
) -> None:
    if text is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_suite(str(folder))
    assert words in str(caught.value)


def test_lines_of_json_beside_config_are_read(folder: Path) -> None:
    (folder / "lines.jsonl").write_text('{"problem_statement": "p", "ground_truth": "t"}\n')
    (folder / "config.yaml").write_text(CONFIG.replace("demo/data.json", "lines.jsonl"))
    (task,) = load_suite(str(folder)).tasks
    assert task == Task(id="1", problem="p", target="t", domain="demo")
