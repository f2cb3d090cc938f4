"""Recipes, and the errors reported for wrong ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.rl.recipe import load_recipe

GOOD = """
engine: trl
model: tiny
data: {train: train.jsonl, held_out: held-out.jsonl}
episodes: {mode: sandbox, sandbox: bubblewrap, limits: {max_steps: 5}}
training: {steps: 60, prompts: 4, group: 8, learning_rate: 1.0e-5}
"""

ROOT = Path(__file__).parents[4]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("train.jsonl", "held-out.jsonl"):
        (tmp_path / name).write_text('{"id": "a", "problem": "b", "target": "c"}\n')
    return tmp_path


def write(folder: Path, text: str) -> Path:
    file = folder / "sandbox.yaml"
    file.write_text(text)
    return file


def test_paths_are_those_of_the_recipes_folder(folder: Path) -> None:
    (folder / "tiny").mkdir()
    recipe = load_recipe(write(folder, GOOD))
    assert recipe.name == "sandbox"
    assert recipe.model == str(folder / "tiny")
    assert recipe.data.train == str(folder / "train.jsonl")
    assert recipe.episodes.limits.max_steps == 5


def test_a_model_that_is_no_folder_is_a_name(folder: Path) -> None:
    assert load_recipe(write(folder, GOOD)).model == "tiny"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            GOOD.replace("steps: 60", "step: 60"),
            "training.step is not a known key. Did you mean 'steps'",
        ),
        (GOOD.replace("mode: sandbox", "moed: sandbox"), "episodes.moed is not a known key"),
        (
            GOOD.replace("max_steps: 5", "max_step: 5"),
            "episodes.limits.max_step is not a known key. Did you mean 'max_steps'",
        ),
        (GOOD.replace("group: 8", "group: 1"), "training.group must be at least 2"),
        (GOOD.replace("engine: trl", "engine: trlx"), "engine"),
        (GOOD.replace("model: tiny\n", ""), "model is missing"),
        (GOOD.replace("train: train.jsonl", "train: nothing.jsonl"), "the task file"),
        (GOOD.replace("engine: trl", "engine: collect"), "set server.base_url"),
        (GOOD.replace("steps: 60", "steps: 60, micro_batch: 5"), "must divide the 32 rollouts"),
        (GOOD.replace("mode: sandbox", "tool_format: hermes"), "leave episodes.tool_format"),
        (f"{GOOD}seed: -1\n", "needs a seed from 0 to 4294967295"),
        (f"{GOOD}seed: 4294967296\n", "needs a seed from 0 to 4294967295"),
        (GOOD.replace("mode: sandbox", "prompts: none_such"), "none_such"),
        ("- a\n", "a recipe is a table"),
        ("a: [", "is not valid YAML"),
    ],
)
def test_errors_are_reported_in_a_sentence(folder: Path, wrong: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load_recipe(write(folder, wrong))


def test_a_seed_of_the_command_line_is_checked_too(folder: Path) -> None:
    assert load_recipe(write(folder, GOOD), seed=5).seed == 5
    with pytest.raises(ConfigError, match="needs a seed"):
        load_recipe(write(folder, GOOD), seed=-1)


def test_a_recipe_that_is_not_there_is_reported_without_numbers(folder: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"none.yaml cannot be read: No such file or directory\.$"
    ):
        load_recipe(folder / "none.yaml")


def test_the_collect_recipe_of_the_docs_is_complete(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "train.jsonl").touch()
    file = tmp_path / "collect.yaml"
    file.write_text(text)
    recipe = load_recipe(file)
    assert (recipe.engine, recipe.name) == ("collect", "collect")
    assert recipe.server.base_url
