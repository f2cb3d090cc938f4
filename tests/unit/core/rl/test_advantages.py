"""Advantages within groups of rollouts."""

from __future__ import annotations

import pytest

from sandbox_tui.core.rl.advantages import group_advantages, grpo, rloo


def test_leave_one_out_compares_with_the_mean_of_the_others() -> None:
    assert rloo([1.0, 0.0, 0.0, 1.0]) == pytest.approx([2 / 3, -2 / 3, -2 / 3, 2 / 3])


def test_grpo_counts_in_standard_deviations() -> None:
    assert grpo([1.0, 0.0, 0.0, 1.0]) == pytest.approx([0.866, -0.866, -0.866, 0.866], abs=1e-3)


@pytest.mark.parametrize("rule", ["rloo", "grpo"])
def test_a_group_of_equals_has_nothing_to_learn(rule: str) -> None:
    assert group_advantages([0.5, 0.5, 0.5], rule) == [0.0, 0.0, 0.0]  # type: ignore[arg-type]


def test_a_rollout_without_a_reward_counts_for_nobody() -> None:
    assert group_advantages([1.0, None, 0.0], "rloo") == [1.0, 0.0, -1.0]
    assert group_advantages([None, 1.0], "grpo") == [0.0, 0.0]


def test_advantages_of_a_group_add_up_to_nothing() -> None:
    """An engine that subtracts the group's mean then changes nothing."""
    rewards = [0.0, 0.25, 1.0, 0.5, 0.0]
    assert sum(rloo(rewards)) == pytest.approx(0)
    assert sum(grpo(rewards)) == pytest.approx(0)
