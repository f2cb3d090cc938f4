"""Questions and documents of any kind are converted to tasks."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.conversion.convert import Conversion, convert
from sandbox_tui.core.rl.data.conversion.parts import in_parts
from sandbox_tui.core.rl.data.leaks import find_leaks
from sandbox_tui.core.rl.data.split import split_by_document
from sandbox_tui.core.rl.data.task_file import encode_tasks, read_tasks
from tests.examples import examples

ROWS: list[dict[str, Any]] = [
    {
        "q": f"Who keeps number {n}?",
        "a": f"Keeper{n}",
        "text": f"Number {n} is kept by Keeper{n}. " + f"fact{n} " * 9,
    }
    for n in range(1, 13)
]
NAMES = {"problem": "q", "target": "a", "context": "text"}


def written(folder: Path, name: str, rows: list[dict[str, Any]]) -> str:
    file = folder / name
    if file.suffix == ".jsonl":
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    elif file.suffix == ".json":
        file.write_text(json.dumps(rows))
    else:
        with file.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return str(file)


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv"])
def test_rows_become_tasks(tmp_path: Path, kind: str) -> None:
    source = written(tmp_path, f"rows.{kind}", ROWS)
    tasks = convert(source, Conversion(columns=NAMES, domain="keepers", scorer="exact"))
    assert tasks[0] == Task(
        id="1",
        problem="Who keeps number 1?",
        target="Keeper1",
        domain="keepers",
        scorer="exact",
        files={"document.txt": ROWS[0]["text"].encode()},
    )
    (tmp_path / "tasks.jsonl").write_bytes(encode_tasks(tasks))
    assert read_tasks(tmp_path / "tasks.jsonl") == tasks


def test_rows_of_the_reference_need_no_options(tmp_path: Path) -> None:
    row = {
        "id": "x1",
        "problem_statement": "Who came?",
        "ground_truth": "Ada",
        "domain": "instruct_pretrain",
        "qa_type": "free-form",
        "input_files": json.dumps({"context.txt": "Ada came."}),
    }
    (task,) = convert(written(tmp_path, "rows.jsonl", [row]), Conversion())
    assert (task.id, task.target, task.files) == ("x1", "Ada", {"context.txt": b"Ada came."})
    assert task.metadata == {"qa_type": "free-form"}


def test_a_suite_keeps_its_scorers(tmp_path: Path) -> None:
    written(tmp_path, "rows.jsonl", ROWS)
    suite = tmp_path / "mine.yaml"
    suite.write_text(
        "dataset: {path: rows.jsonl, columns: {problem: q, target: a}}\nscorers: exact\n"
    )
    tasks = convert(str(suite), Conversion(columns={"context": "text"}))
    assert {task.scorer for task in tasks} == {"exact"}
    assert all(task.files for task in tasks)


def test_columns_besides_those_of_a_suite(tmp_path: Path) -> None:
    written(tmp_path, "rows.jsonl", ROWS)
    suite = tmp_path / "mine.yaml"
    suite.write_text("dataset: {path: rows.jsonl, columns: {target: a}}\nscorers: exact\n")
    tasks = convert(str(suite), Conversion(columns={"problem": "q", "context": "text"}))
    assert (tasks[0].problem, tasks[0].target) == (ROWS[0]["q"], ROWS[0]["a"])


def test_distractors_are_cut_like_documents(tmp_path: Path) -> None:
    rows = [
        {"q": f"Q{n}", "a": f"A{n}", "text": f"one{n} two{n}\n\nthree{n} four{n}\n"}
        for n in range(8)
    ]
    how = Conversion(columns=NAMES, parts=2, distractors=3)
    for task in convert(written(tmp_path, "rows.jsonl", rows), how):
        assert len(task.files) == 5
        assert set(task.metadata["distractors"]) < set(task.files)
        assert all(len(data.split()) == 2 for data in task.files.values())


def test_documents_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    (folder / "old").mkdir(parents=True)
    (folder / "a.md").write_text("alpha")
    (folder / "old" / "b.md").write_text("beta")
    rows = [
        {"problem": "One?", "target": "1", "file": "a.md"},
        {"problem": "Both?", "target": "2", "file": '["a.md", "old/b.md"]'},
    ]
    how = Conversion(columns={"document": "file"}, folder=folder)
    one, both = convert(written(tmp_path, "rows.csv", rows), how)
    assert one.files == {"a.md": b"alpha"}
    assert both.files == {"a.md": b"alpha", "old/b.md": b"beta"}
    assert both.metadata == {}


def test_several_contexts_are_several_files(tmp_path: Path) -> None:
    rows = [{"problem": "p", "target": "t", "context": ["one", "two"]}]
    (task,) = convert(written(tmp_path, "rows.json", rows), Conversion())
    assert task.files == {"document_1.txt": b"one", "document_2.txt": b"two"}


@pytest.mark.parametrize(
    ("answer", "target"),
    [("B", "B"), ("b", "B"), (1, "B"), ("green", "B"), ("Green.", "B"), (["red", "blue"], "A, C")],
)
def test_choices_are_lettered(tmp_path: Path, answer: Any, target: str) -> None:
    row = {
        "problem": "Which?",
        "target": answer,
        "context": "x",
        "choices": ["red", "green", "blue"],
    }
    (task,) = convert(written(tmp_path, "rows.jsonl", [row]), Conversion())
    assert task.problem == "Which?\n\nA. red\nB. green\nC. blue"
    assert task.target == target
    assert task.metadata == {"qa_type": "Multiple Choice"}


def test_the_text_of_a_choice_comes_before_its_number(tmp_path: Path) -> None:
    row = {"problem": "Which?", "target": "0", "context": "x", "choices": ["2", "1", "0"]}
    (task,) = convert(written(tmp_path, "rows.jsonl", [row]), Conversion())
    assert task.target == "C"


@examples(40)
@given(st.lists(st.text("ab \n", max_size=30), min_size=1, max_size=4), st.integers(1, 6))
def test_parts_lose_nothing(texts: list[str], parts: int) -> None:
    files = {str(n): text.encode() for n, text in enumerate(texts)}
    task = in_parts(Task(id="t", problem="p", target="t", files=files), parts)
    assert 1 <= len(task.files) <= parts
    after = b" ".join(task.files.values()).split()
    assert after == b" ".join(files.values()).split()
    lines = sum(text.rstrip().count("\n") + 1 for text in texts if text.strip())
    assert len(task.files) >= min(parts, lines, 2)


def test_parts_are_of_about_the_same_length() -> None:
    text = "".join(f"Paragraph {n} is this long.\n\n" for n in range(40))
    task = in_parts(Task(id="t", problem="p", target="t", files={"a": text.encode()}), 4)
    assert list(task.files) == [f"document_{n}.txt" for n in (1, 2, 3, 4)]
    assert all(9 <= data.count(b"Paragraph") <= 11 for data in task.files.values())


def test_distractors_hide_nothing_and_tell_nothing(tmp_path: Path) -> None:
    source = written(tmp_path, "rows.jsonl", ROWS)
    tasks = convert(source, Conversion(columns=NAMES, distractors=2))
    plain = convert(source, Conversion(columns=NAMES))
    for task, before in zip(tasks, plain, strict=True):
        extra = task.metadata["distractors"]
        own = [data for name, data in task.files.items() if name not in extra]
        assert own == list(before.files.values())
        assert len(set(task.files.values())) == 3
        assert not [name for name in extra if f"{task.target}." in task.files[name].decode()]
        assert set(task.files) == {"document_1.txt", "document_2.txt", "document_3.txt"}
    places = {
        name for task in tasks for name in task.files if name not in task.metadata["distractors"]
    }
    assert len(places) > 1
    assert convert(source, Conversion(columns=NAMES, distractors=2)) == tasks
    assert convert(source, Conversion(columns=NAMES, distractors=2, seed=1)) != tasks


def test_tasks_with_distractors_can_still_be_split(tmp_path: Path) -> None:
    rows = [
        {"q": f"Q{n}", "a": f"A{n}", "text": " ".join(f"w{n}x{m}" for m in range(30))}
        for n in range(120)
    ]
    tasks = convert(written(tmp_path, "rows.jsonl", rows), Conversion(columns=NAMES, distractors=3))
    split = split_by_document(tasks, share=0.25)
    assert 10 <= len(split.held_out) <= 30
    assert not find_leaks(split.train, split.held_out).leaks


def fails(tmp_path: Path, rows: list[dict[str, Any]], words: str, **how: Any) -> None:
    with pytest.raises(ConfigError, match=words):
        convert(written(tmp_path, "rows.jsonl", rows), Conversion(**how))


def test_errors_are_reported_in_a_sentence(tmp_path: Path) -> None:
    row = {"problem": "p", "target": "t"}
    fails(tmp_path, [row], "has no documents")
    fails(tmp_path, [{"problem": "p", "context": "c"}], "task 1 has no answer")
    fails(tmp_path, [row], "No row has the column 'text'", columns={"context": "text"})
    fails(tmp_path, [row], "'story' is not a field", columns={"story": "text"})
    fails(tmp_path, [row], "is not a folder", folder=tmp_path / "nowhere")
    fails(tmp_path, [row], "task 1 names no document", folder=tmp_path)
    fails(tmp_path, [{**row, "document": "x.txt"}], "x.txt cannot be read", folder=tmp_path)
    (tmp_path / "inside").mkdir()
    fails(tmp_path, [{**row, "document": "../rows.jsonl"}], "is not in", folder=tmp_path / "inside")
    fails(tmp_path, [{**row, "context": "c"}], r"can have 0 distractors, not 1", distractors=1)
    wrong = {**row, "context": "c", "choices": ["x", "y"], "target": "z"}
    fails(tmp_path, [wrong], "'z' of the task 1 is not one of its choices")
    fails(tmp_path, [{**wrong, "choices": ["x"] * 27}], "at most 26")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(ConfigError, match=r"empty.jsonl holds no tasks"):
        read_tasks(tmp_path / "empty.jsonl")
    with pytest.raises(ConfigError, match="no suite 'nothing'"):
        convert("nothing", Conversion())
    (tmp_path / "inside" / "photo").write_bytes(b"\xff\xfe\x00")
    rows = written(tmp_path, "rows.jsonl", [{**row, "document": "photo"}])
    tasks = convert(rows, Conversion(folder=tmp_path / "inside"))
    with pytest.raises(ConfigError, match="photo of the task 1 is not UTF-8 text"):
        encode_tasks(tasks)
