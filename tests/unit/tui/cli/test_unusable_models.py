"""`eval run` refuses a model that no request could reach, before there is an evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.main import main


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "There is no OpenAI API key. Set OPENAI_API_KEY, or use --base-url URL for"),
        (["--base-url", "nonsense"], "The server nonsense is not an address."),
    ],
)
def test_no_evaluation_is_left_behind(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    words: str,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "tasks.jsonl").write_text('{"problem": "1 + 1", "target": "2"}\n')
    tasks = [str(tmp_path / "tasks.jsonl"), "--scorer", "number", "--mode", "vanilla"]
    done = CliRunner().invoke(main, ["eval", "run", *tasks, "--model", "m", "--headless", *options])
    assert done.exit_code == 2
    assert words in done.stderr
    assert ledger.summaries(store) == []


@pytest.mark.parametrize(
    ("scorer", "target", "words"),
    [
        ("number", "Dover", "Task 2: the target 'Dover' is not a number (such as 42, -0.5, 3/4"),
        ("number", "1/0", "Task 2: the target '1/0' is not a number"),
        ("number", "1e999999999", "Task 2: the target '1e999999999' is not a number"),
        ("choice", "Dover", "Task 2: the target 'Dover' is not one of the letters ABC"),
    ],
)
def test_a_target_that_its_scorer_cannot_read_is_refused_before_anything_runs(
    store: Store, tmp_path: Path, scorer: str, target: str, words: str
) -> None:
    first = {"number": "3/4", "choice": "b"}[scorer]
    file = tmp_path / "q.csv"
    file.write_text(f"question,answer\n1,{first}\n2,{target}\n3,{target}\n4,{target}\n")
    model = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--headless"]
    done = CliRunner().invoke(main, ["eval", "run", str(file), "--scorer", scorer, *model])
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stderr.rstrip().endswith("So it is with 2 more.")
    assert ledger.summaries(store) == []


@pytest.mark.parametrize("name", ["q.csv", "q.yaml", "q.jsonl"])
def test_a_file_that_is_not_there_is_named_as_it_was_typed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["eval", "run", name, "--model", "m", "--headless"])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"sandbox-tui: {name} does not exist. A suite is a name (")
    assert ".csv, .json, .jsonl, .parquet" in done.stderr
