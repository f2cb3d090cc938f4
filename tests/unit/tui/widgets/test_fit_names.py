"""What tells runs apart stays when their names are cut."""

from __future__ import annotations

import pytest

from sandbox_tui.tui.widgets.wall.fitting.fit_names import fit_names

TASK = "long: Count the primes below ten thousand"
NAMES = ["watching", TASK, "qwen3-coder"]


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (100, f"watching · {TASK} · qwen3-coder"),
        (40, "watching · long: Count th… · qwen3-coder"),
        (20, "watching · long… · …"),
        (1, "…"),
    ],
)
def test_the_task_is_cut_first(room: int, shown: str) -> None:
    assert fit_names(NAMES, TASK, room) == shown


def test_without_a_task_the_end_is_cut() -> None:
    assert fit_names(["watching", "qwen3-coder"], "", 14) == "watching · qw…"


def test_the_mode_is_left_out_before_others_are_cut() -> None:
    names = [TASK, "qwen3-coder", "mode step"]
    assert fit_names(names, TASK, 24, "mode step") == "long: Cou… · qwen3-coder"
    assert fit_names(names, TASK, 31, "mode step") == "long… · qwen3-coder · mode step"
