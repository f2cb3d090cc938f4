"""Episode settings in verl's configuration, and rows of its data set; runs without verl."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import sandbox_tui.core.rl.adapters as adapters
from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.adapters.verl_pools import (
    VerlSettings,
    close_pools,
    pool_of,
    verl_settings,
)
from sandbox_tui.core.rl.adapters.verl_rows import row_of, task_of_row
from sandbox_tui.core.rl.episode_settings import EpisodeSettings


def test_the_section_of_the_configuration_is_what_the_agent_loop_reads() -> None:
    file = Path(adapters.__file__).with_name("llm_in_sandbox_rl.yaml")
    settings = verl_settings(yaml.safe_load(file.read_text())["sandbox_tui"])
    assert settings == VerlSettings()
    assert settings.episode.limits.time_limit == 5400


def test_a_wrong_section_is_refused_with_the_place() -> None:
    with pytest.raises(ConfigError, match=r"`\$\.episode\.mode`"):
        verl_settings({"episode": {"mode": "dream"}})
    with pytest.raises(ConfigError, match="cpus"):
        verl_settings({"cpus": 3})


async def test_a_worker_has_one_pool_for_its_settings() -> None:
    text = VerlSettings(episode=EpisodeSettings(mode="text"))
    assert pool_of(text) is pool_of(VerlSettings(episode=EpisodeSettings(mode="text")))
    assert pool_of(text) is not pool_of(VerlSettings())
    await close_pools()


def test_a_row_brings_its_task_back_after_json() -> None:
    task = Task(
        id="a/1",
        problem="Which?",
        target="12",
        domain="math",
        files={"x.txt": b"\xff\x00"},
        metadata={"n": 1},
        limits={"max_steps": 3},
    )
    row = json.loads(json.dumps(row_of(task, 4)))
    assert task_of_row(row) == task
    assert (row["extra_info"]["index"], row["data_source"]) == (4, "math")
