"""Every loader on small files with the columns of the reference's data sets."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.table import LOADERS, load_tasks

ROWS: list[dict[str, Any]] = [
    {
        "id": "lc_1",
        "problem_statement": "Which year?",
        "ground_truth": "1912",
        "domain": "long_context",
        "input_files": json.dumps({"a.txt": "Ä year: 1912\n", "b.txt": "nothing"}),
        "qa_type": "free-form",
    },
    {
        "id": "lc_2",
        "problem_statement": "Which letter?\nSecond line, with \"quotes\"",
        "ground_truth": "B",
        "domain": "chem",
        "input_files": "{}",
        "qa_type": "multiple choice",
    },
]  # fmt: skip


def write_jsonl(file: Path) -> None:
    file.write_text("\n\n".join(json.dumps(row) for row in ROWS) + "\n")


def write_json(file: Path) -> None:
    file.write_text(json.dumps(ROWS, indent=1))


def write_csv(file: Path) -> None:
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)


def write_parquet(file: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), file)


WRITERS: dict[str, Callable[[Path], None]] = {
    "jsonl": write_jsonl,
    "json": write_json,
    "csv": write_csv,
    "parquet": write_parquet,
}


def check(tasks: list[Any]) -> None:
    first, second = tasks
    assert (first.id, first.problem, first.target) == ("lc_1", "Which year?", "1912")
    assert first.domain == "long_context"
    assert first.files == {"a.txt": "Ä year: 1912\n".encode(), "b.txt": b"nothing"}
    assert first.metadata["qa_type"] == "free-form"
    assert second.problem == 'Which letter?\nSecond line, with "quotes"'
    assert second.files == {}
    assert "input_files" not in first.metadata


@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_a_file(tmp_path: Path, kind: str) -> None:
    WRITERS[kind](tmp_path / f"data.{kind}")
    check(load_tasks(Dataset(path=f"data.{kind}"), tmp_path, "s"))


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # datasets 4.4 leaves a CSV file open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_the_library_reads_the_same_files(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("datasets")
    WRITERS[kind](tmp_path / f"data.{kind}")
    check(load_tasks(Dataset(loader="hugging_face", path=f"data.{kind}"), tmp_path, "s"))


def test_a_folder_with_configs_and_splits_as_on_the_hub(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    folder = tmp_path / "bench"
    for config in ("math", "chem"):
        (folder / config).mkdir(parents=True)
        for split in ("train", "test"):
            row = {"id": 1, "problem_statement": f"{config} {split}", "ground_truth": "x"}
            (folder / config / f"{split}.jsonl").write_text(json.dumps(row))
    (folder / "README.md").write_text(
        "---\nconfigs:\n"
        + "".join(
            f"- config_name: {config}\n  data_files:\n"
            f"  - {{split: test, path: {config}/test.jsonl}}\n"
            f"  - {{split: train, path: {config}/train.jsonl}}\n"
            for config in ("math", "chem")
        )
        + "---\n"
    )
    source = Dataset(loader="hugging_face", path="bench", config="chem", domain="chemistry")
    (task,) = load_tasks(source, tmp_path, "s")
    assert (task.id, task.problem, task.domain) == ("1", "chem test", "chemistry")
    source = Dataset(loader="hugging_face", path="bench", config="math", split="train")
    assert load_tasks(source, tmp_path, "s")[0].problem == "math train"
    with pytest.raises(ConfigError, match=r"bench \(nope, test\) cannot be loaded"):
        load_tasks(Dataset(loader="hugging_face", path="bench", config="nope"), tmp_path, "s")


def test_columns_are_named_and_the_rest_is_metadata(tmp_path: Path) -> None:
    row = {"q": "why", "a": 4, "level": "3", "extra": [1, None], "key": 17}
    (tmp_path / "d.json").write_text(json.dumps([row]))
    columns = {"problem": "q", "target": "a", "id": "key"}
    (task,) = load_tasks(Dataset(path="d.json", columns=columns), tmp_path, "s")
    assert (task.id, task.problem, task.target, task.level) == ("17", "why", "4", 3)
    assert task.metadata == {"extra": [1, None]}


def test_every_field_of_a_task_can_be_a_column(tmp_path: Path) -> None:
    row = {
        "problem": "p", "target": {"a": [1]}, "scorer": "exact", "image": "i:1",
        "setup": ["touch x"], "limits": {"max_steps": 3}, "metadata": {"m": 1}, "other": 2,
        "files": ["one", "two"],
    }  # fmt: skip
    (tmp_path / "d.json").write_text(json.dumps([row]))
    (task,) = load_tasks(Dataset(path="d.json"), tmp_path, "s")
    assert task.id == "1"
    assert json.loads(task.target) == {"a": [1]}
    assert (task.scorer, task.image, task.setup) == ("exact", "i:1", ("touch x",))
    assert task.limits == {"max_steps": 3}
    assert task.metadata == {"m": 1, "other": 2}
    assert task.files == {"document_1.txt": b"one", "document_2.txt": b"two"}


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"question": "q", "answer": 2}, ("q", "2", {})),
        ({"prompt": "q", "expected": "2"}, ("q", "2", {})),
        ({"input": "q", "output": "2"}, ("q", "2", {})),
        ({"question": "q", "solution": "2", "id": "x"}, ("q", "2", {})),
        (
            {"problem": "p", "question": "q", "answer": "a", "target": "t"},
            ("p", "t", {"question": "q", "answer": "a"}),
        ),
        ({"problem": "p", "ground_truth": "", "answer": "a"}, ("p", "", {"answer": "a"})),
        ({"problem": "p", "expected": [1, 2]}, ("p", "", {"expected": [1, 2]})),
    ],
)
def test_common_names_of_columns(
    tmp_path: Path, row: dict[str, Any], found: tuple[str, str, dict[str, Any]]
) -> None:
    (tmp_path / "d.json").write_text(json.dumps([row]))
    (task,) = load_tasks(Dataset(path="d.json"), tmp_path, "s")
    assert (task.problem, task.target, task.metadata) == found


def test_a_column_with_another_use_is_not_found_by_its_common_name(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text('[{"answer": "It is a keeper.", "question": "Who?"}]')
    columns = {"problem": "answer", "target": "question"}
    (task,) = load_tasks(Dataset(path="d.json", columns=columns), tmp_path, "s")
    assert (task.problem, task.target) == ("It is a keeper.", "Who?")
    (task,) = load_tasks(Dataset(path="d.json", columns={"problem": "answer"}), tmp_path, "s")
    assert (task.problem, task.target) == ("It is a keeper.", "")


def test_null_files_of_a_struct_column_are_none(tmp_path: Path) -> None:
    """Arrow gives every row the keys of all rows, with null for missing values."""
    row = {"problem": "p", "input_files": {"a.txt": "x", "b.txt": None}}
    (tmp_path / "d.json").write_text(json.dumps([row]))
    (task,) = load_tasks(Dataset(path="d.json"), tmp_path, "s")
    assert task.files == {"a.txt": b"x"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("d.jsonl", '{"problem": "x"}\n{', "line 2, is not a JSON object"),
        ("d.jsonl", "[1]", "line 1, is not a JSON object"),
        ("d.json", "{}", "is not a JSON list of objects"),
        ("d.csv", "problem,target\na,b,c\n", "line 2, has more cells than columns"),
        ("d.csv", 'problem\n"a', "is not valid CSV"),
        ("d.jsonl", '{"target": "x"}', "row 1: the problem is missing"),
        ("d.csv", 'riddle,"a\nb"\n1,2\n', "Its columns are riddle, a␊b."),
        ("d.jsonl", '{"prompt": [{"role": "user"}]}', "Its columns are prompt."),
        ("d.jsonl", '{"problem": "x", "level": "hard"}', "'level' must be a whole number"),
        ("d.jsonl", '{"problem": "x", "input_files": "[}"}', "'input_files' must be JSON"),
        ("d.jsonl", '{"problem": "x", "input_files": 3}', "'input_files' must be a table"),
        ("d.parquet", "no", "is not a Parquet file"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, text: str, words: str) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_tasks(Dataset(path=name), tmp_path, "s")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_of_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(b'[{"problem": "\xe4"}]')
    with pytest.raises(ConfigError, match=r"d.json cannot be read"):
        load_tasks(Dataset(path="d.json"), tmp_path, "s")


@pytest.mark.parametrize("loader", ["hugging_face", "parquet"])
def test_a_missing_package_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loader: str
) -> None:
    for package in ("datasets", "pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / "d.parquet").write_text("")
    with pytest.raises(ConfigError, match=r"pip install 'sandbox-tui\[evals\]'"):
        load_tasks(Dataset(loader=loader, path="d.parquet"), tmp_path, "s")


def test_every_loader_can_be_imported() -> None:
    import importlib

    for module in LOADERS.values():
        assert callable(importlib.import_module(f"sandbox_tui.core.evals.loaders.{module}").load)


def test_large_cells_of_a_dataset_change_no_limit_elsewhere(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    file = tmp_path / "tasks.csv"
    file.write_text(f"id,problem,target\na,{'x' * 200_000},1\n")
    (task,) = load_tasks(Dataset(path=str(file)), tmp_path, "The suite x")
    assert len(task.problem) == 200_000
    assert csv.field_size_limit() == before
