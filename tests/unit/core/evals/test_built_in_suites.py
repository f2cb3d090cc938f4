"""The built-in suites, on small files with the columns of their data sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals import optional_packages
from sandbox_tui.core.evals.loaders import hugging_face
from sandbox_tui.core.evals.sample_request import SampleRequests
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.suite_file import known_suites, load_suite
from sandbox_tui.core.prompts.pack import load_pack

FILES = json.dumps({"a.txt": "Founded in 1912."})

ROWS: dict[str, dict[str, Any]] = {
    "math": {"id": "1", "problem_statement": "1 + 1", "ground_truth": "2"},
    "physics": {"id": "1", "problem_statement": "F = m a", "ground_truth": "2 N"},
    "chemistry": {"id": "1", "problem_statement": "A. x B. y", "ground_truth": "A"},
    "biomedicine": {"id": "1", "problem_statement": "A. x J. y", "ground_truth": "J"},
    "long_context": {
        "id": "1",
        "problem_statement": "When?",
        "ground_truth": "1912",
        "input_files": FILES,
    },
    "instruction_following": {
        "id": "1",
        "problem_statement": "One word.",
        "ground_truth": '{"instruction_id_list": ["format:no_whitespace"], "kwargs": [{}]}',
    },
    "instruct_pretrain": {
        "id": "1",
        "problem_statement": "When?",
        "ground_truth": "1912",
        "input_files": FILES,
        "qa_type": "free-form",
        "domain": "instruct_pretrain",
    },
    "software_engineering": {
        "instance_id": "a__b-1",
        "problem_statement": "It fails.",
        "patch": "diff --git a/x b/x\n",
        "image": "i:1",
        "repo": "a/b",
        "base_commit": "abc",
        "eval_script": "true",
    },
}

SAMPLES = {"math": 16, "long_context": 4}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the hub with a local file, and record which data set was requested."""
    pytest.importorskip("datasets")
    asked: dict[str, Any] = {}

    def source(dataset: Any, _folder: Path) -> dict[str, Any]:
        asked.update(path=dataset.path, config=dataset.config, split=dataset.split)
        file = tmp_path / "rows.json"
        file.write_text(json.dumps([asked["row"]]))
        return {"path": "json", "data_files": {dataset.split: str(file)}}

    monkeypatch.setattr(hugging_face, "_source", source)
    return asked


def scorers_of(suite: Suite) -> set[str]:
    return {suite.scorer_of(task) for task in suite.tasks}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_suite_of_the_paper(
    hub: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optional_packages, "find_spec", lambda _package: "found")
    monkeypatch.setenv("JUDGE_BASE_URL", "http://127.0.0.1:9/v1")
    hub["row"] = ROWS[name]
    suite = load_suite(name)
    (task,) = suite.tasks
    assert suite.name == name
    assert task.domain == name
    assert task.problem == ROWS[name]["problem_statement"]
    assert suite.samples == SAMPLES.get(name, 1)
    assert suite.limits["max_steps"] == 100
    for scorer in scorers_of(suite):
        assert scorer_named(scorer, suite.scorer_options.get(scorer)).name == scorer
    for pack in (suite.prompts, suite.vanilla_prompts_of(name)):
        assert ROWS[name]["problem_statement"] in load_pack(pack).instance(task.problem)
    assert (hub["path"], hub["split"]) in {
        ("daixuancheng/llm-in-sandbox-bench", "test"),
        ("daixuancheng/llm-in-sandbox-rl", "train"),
        ("SWE-bench/SWE-bench_Verified", "test"),
    }


def test_vanilla_is_not_told_to_think_where_its_whole_reply_is_the_answer() -> None:
    """The tasks with constraints require that the reply contain nothing else."""
    suite = load_suite("pocket", overrides={"dataset.per_domain": 13})
    requests = SampleRequests.of(suite, load({"model.name": "m"}), "e")
    for sample in suite.plan():
        if sample.key.mode == "vanilla":
            request = requests.request(sample, 1)
            assert request.pack is not None
            told = request.pack.instance(request.task)
            whole = suite.scorer_of(sample.task) == "constraints"
            assert ("Think it through" in told) != whole


def test_a_report_of_a_fault_has_its_image_and_what_the_harness_needs(hub: dict[str, Any]) -> None:
    hub["row"] = ROWS["software_engineering"]
    (task,) = load_suite("software_engineering").tasks
    assert (task.id, task.image) == ("a__b-1", "i:1")
    assert task.metadata["eval_script"] == "true"


def test_documents_are_files_of_the_task(hub: dict[str, Any]) -> None:
    hub["row"] = ROWS["long_context"]
    (task,) = load_suite("long_context").tasks
    assert task.files == {"a.txt": b"Founded in 1912."}


def test_every_suite_describes_itself_and_is_tested() -> None:
    suites = known_suites()
    assert set(suites) == {*ROWS, "pocket"}
    assert all(description.endswith(".") for description in suites.values())


def test_pocket_is_there_without_a_download() -> None:
    suite = load_suite("pocket", overrides={"dataset.limit": 2})
    assert suite.tasks
    assert len({task.id for task in suite.tasks}) == len(suite.tasks)
    for task in suite.tasks:
        name = suite.scorer_of(task)
        assert scorer_named(name, suite.scorer_options.get(name)).name == name


def test_a_context_length_that_the_server_reports_is_not_recorded_as_set() -> None:
    suite = load_suite("pocket", overrides={"dataset.per_domain": 1})
    for own, window in ((None, 750), (2000, 1500)):
        settings = load({"model.name": "m", "model.context_length": own})
        requests = SampleRequests.of(suite, settings, "e", context=1000)
        assert requests.window == (suite.window or window)
        assert requests.settings.model.context_length == own
