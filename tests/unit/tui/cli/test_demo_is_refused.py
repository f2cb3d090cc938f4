"""The demo model solves nothing: evaluations and trainings refuse its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.factory import refuse_demo
from sandbox_tui.core.rl.recipe import load_recipe
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables import trainings
from sandbox_tui.tui.cli.main import main

REFUSED = (
    "sandbox-tui: The demo model only replays a scripted demonstration and cannot solve tasks: "
    "name a model (--model) or a server (--base-url) instead.\n"
)
RECIPE_REFUSED = (
    "The demo model only replays a scripted demonstration and cannot solve tasks: name a model "
    "(model) or a server (server.base_url) instead.\n"
)


@pytest.fixture(autouse=True)
def with_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.mark.parametrize("name", ["demo", "demo script"])
def test_an_evaluation_of_it_does_not_start(store: Store, name: str) -> None:
    done = run("eval", "run", "pocket", "--model", name, "--headless")
    assert (done.exit_code, done.stderr) == (2, REFUSED)
    assert not ledger.summaries(store)


def test_nor_where_the_settings_name_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_NAME", "demo")
    done = run("eval", "run", "pocket", "--headless")
    assert (done.exit_code, done.stderr) == (2, REFUSED)
    assert not ledger.summaries(store)


@pytest.mark.parametrize("engine", ["trl", "collect"])
def test_a_training_of_it_does_not_start(store: Store, tmp_path: Path, engine: str) -> None:
    (tmp_path / "train.jsonl").write_text('{"id": "a", "problem": "b", "target": "c"}\n')
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(f"engine: {engine}\nmodel: demo\ndata: {{train: train.jsonl}}\n")
    done = run("rl", "train", str(recipe))
    assert (done.exit_code, done.stderr) == (2, f"sandbox-tui: {recipe}: {RECIPE_REFUSED}")
    assert not trainings.summaries(store)


def test_a_server_may_call_its_model_so() -> None:
    refuse_demo(ModelSettings(name="demo", base_url="http://127.0.0.1:1/v1"))
    refuse_demo(ModelSettings(name="demo-7b"))


def test_a_folder_may_be_called_so(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"id": "a", "problem": "b", "target": "c"}\n')
    (tmp_path / "demo").mkdir()
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("engine: trl\nmodel: demo\ndata: {train: train.jsonl}\n")
    assert load_recipe(recipe).model == str(tmp_path / "demo")
