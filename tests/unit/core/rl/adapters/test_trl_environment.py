"""TRL environments: the methods exposed as tools, rewards, reuse, and refused settings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.adapters.trl_environment import (
    OVER,
    EditorEnvironment,
    SandboxEnvironment,
    TrlEnvironments,
)
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.rewards.outcome import OutcomeReward
from tests.integration.conftest import require

TASK = Task(
    id="rooms/7",
    problem="What is the key of room 7?",
    target="42",
    scorer="exact",
    files={"list.txt": b"room 7: 42\n"},
)


@pytest.fixture
def environments() -> Iterator[TrlEnvironments]:
    require("bubblewrap")
    settings = EpisodeSettings(sandbox="bubblewrap", tools=("execute_bash", "submit"))
    with TrlEnvironments(settings, OutcomeReward(), [TASK]) as made:
        yield made


def tools_of(kind: type[Any]) -> list[str]:
    """Names of an environment's tools, found in TRL's way."""
    return [
        name
        for name, _ in inspect.getmembers(kind, predicate=inspect.isfunction)
        if name not in ("reset", "get_reward") and not name.startswith("_")
    ]


def test_nothing_but_tools_is_public() -> None:
    assert tools_of(SandboxEnvironment) == ["execute_bash", "submit"]
    assert tools_of(EditorEnvironment) == ["execute_bash", "str_replace_editor", "submit"]


def test_every_tool_has_a_docstring_that_describes_all_of_its_arguments() -> None:
    for name in tools_of(EditorEnvironment):
        tool = getattr(EditorEnvironment, name)
        documented = inspect.getdoc(tool) or ""
        for argument in list(inspect.signature(tool).parameters)[1:]:
            assert f"\n    {argument}: " in documented, (name, argument)
        assert "Returns:" in documented


def test_transformers_reads_the_schemas() -> None:
    chat = pytest.importorskip("transformers.utils", reason="needs the extra trl")
    for name in tools_of(EditorEnvironment):
        schema = chat.get_json_schema(getattr(EditorEnvironment, name))
        assert schema["function"]["name"] == name


def test_a_rollout_is_rewarded_and_its_environment_used_again(
    environments: TrlEnvironments,
) -> None:
    (row,) = environments.rows()
    environment = environments()
    environment.reset(**row)
    assert "room 7: 42" in environment.execute_bash("cat input/list.txt")
    environment.execute_bash("echo 42 > output/answer.txt")
    assert environment.submit()
    assert environment.execute_bash("ls") == OVER
    assert environment.get_reward() == 1.0
    environment.reset(**row)
    assert "answer" not in environment.execute_bash("ls output")
    assert environment.get_reward() == 0.0


def test_other_tools_and_text_only_episodes_are_refused() -> None:
    for settings in (EpisodeSettings(tools=("submit",)), EpisodeSettings(mode="text")):
        with pytest.raises(ConfigError):
            TrlEnvironments(settings, OutcomeReward(), [TASK])
