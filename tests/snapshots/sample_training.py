"""A training run for pictures: three finished steps and one in progress."""

from __future__ import annotations

import msgspec

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.sessions.store.tables.trainings import NewTraining

TRAINING_ID = "20260101-090000-train"

REWARDS = (
    ("0101", "0010"),
    ("0t11", "1000"),
    ("1111", "01t1"),
    ("10..", "...."),
)
"""By step, task and rollout: a reward, `t` if a limit ended the rollout, `.` if it is running."""


def enter_training(store: Store, now: float) -> None:
    """Store the training as if started an hour ago."""
    trainings.create(
        store,
        NewTraining(
            id=TRAINING_ID,
            name="values-in-sandbox",
            engine="trl",
            model="tiny-30m",
            seed=1,
            recipe={},
        ),
    )
    for step, groups in enumerate(REWARDS):
        for group, signs in enumerate(groups):
            _enter_group(store, now, step, f"value-{2 * step + group:03}", signs)
        if step < len(REWARDS) - 1:
            _enter_group(store, now, step, "unseen-001", "0001"[: 2 + step], held_out=True)
            trainings.finish_step(
                store, TRAINING_ID, step, {"loss": 0.5 - step / 10, "seconds": 2.3}
            )
    with store.transaction() as connection:
        connection.execute("UPDATE trainings SET began_at = ?", [now - 3600])


def _enter_group(
    store: Store, now: float, step: int, task: str, signs: str, *, held_out: bool = False
) -> None:
    over = [float(sign == "1") for sign in signs if sign != "."]
    mean = sum(over) / len(over) if over else 0.0
    for number, sign in enumerate(signs):
        kind = "h" if held_out else "r"
        started = Rollout(
            run_id=f"20260101-0900{step:02}-{kind}{task[-3:]}{number}",
            step=step,
            task=task,
            number=number,
            split="held_out" if held_out else "train",
            began_at=now - 3000 + step,
            advantage=None if held_out or sign == "." else float(sign == "1") - mean,
        )
        rollouts.begin(store, TRAINING_ID, started)
        if sign == ".":
            continue
        ended = msgspec.structs.replace(
            started,
            ended_at=now - 2000 + step,
            reward=float(sign == "1"),
            truncated=sign == "t",
            reason="max_steps" if sign == "t" else "submitted",
            steps=3 + number,
            tool_calls=2 + number,
            tokens=180 + 40 * number + 20 * step,
            seconds=1.5 + number,
        )
        rollouts.finish(store, ended)
