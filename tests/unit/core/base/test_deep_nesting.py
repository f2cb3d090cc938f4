"""User input that is nested too deeply to be parsed is refused with a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.suite_file import load_suite
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.rl.data.conversion.convert import Conversion, convert
from sandbox_tui.core.rl.data.task_file import read_tasks
from sandbox_tui.core.rl.recipe import load_recipe
from sandbox_tui.tui.cli.options import overrides_of

LISTS = "[" * 50_000 + "]" * 50_000
TASK = {"id": "a", "problem": "?", "target": "4"}
ROW = f'{json.dumps(TASK)[:-1]}, "note": {LISTS}}}'


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("tasks.jsonl", ROW, read_tasks),
        ("tasks.json", f"[{ROW}]", read_tasks),
        ("tasks.csv", f'id,problem,target,files\na,?,4,"{LISTS}"\n', read_tasks),
        ("config.toml", f"x = {LISTS}", lambda file: load(file=file)),
        ("suite.yaml", f"dataset: {LISTS}", lambda file: load_suite(str(file))),
        ("recipe.yaml", f"engine: {LISTS}", load_recipe),
        ("pack.yaml", f"system_prompt: {LISTS}", lambda file: load_pack(str(file))),
    ],
    ids=["jsonl", "json", "csv", "settings", "suite", "recipe", "prompts"],
)
def test_a_file(name: str, text: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        read(file)
    assert name.partition(".")[0] in str(refused.value)
    assert "nested too deeply" in str(refused.value)


def test_an_option() -> None:
    with pytest.raises(ConfigError, match="--extra-body is nested too deeply"):
        overrides_of({"extra_body": LISTS})


def test_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_EXTRA_BODY", LISTS)
    with pytest.raises(ConfigError, match="model.extra_body"):
        load()


def test_a_document_that_is_no_list_is_a_text(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({**TASK, "context": LISTS, "choices": LISTS}))
    (task,) = convert(str(file), Conversion(columns={"context": "context"}))
    assert LISTS.encode() in task.files.values()
