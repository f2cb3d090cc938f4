"""Exports the good rollouts of a training as data for supervised fine-tuning.

Each line is a conversation in OpenAI's chat format as TRL's `SFTTrainer` reads it: `messages` and
`tools`. `tools` is JSON text, since datasets built from lines merge the fields of objects that
differ between lines; the arguments of calls are JSON text in the format itself. Three more fields
name the source of the line: `session`, `task` and `reward`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sandbox_tui.core.base.errors import RequestRefused
from sandbox_tui.core.base.write_file import write_file
from sandbox_tui.sessions.interchange.exports import chat_jsonl
from sandbox_tui.sessions.interchange.exports.base import Recording
from sandbox_tui.sessions.interchange.known_secrets import known_secrets
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.rollouts import Rollout, rollouts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Criteria for the rollouts to export.

    Attributes:
        min_reward: minimum reward.
        held_out: whether to include held-out tasks, which are meant for evaluation.
        each: maximum number per task, preferring high rewards, then short ones; None: all.
    """

    min_reward: float = 1.0
    held_out: bool = False
    each: int | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """Result of an export.

    Attributes:
        rollouts: number of lines.
        tasks: number of different tasks.
        redacted: number of places in the file where a secret was redacted.
    """

    rollouts: int
    tasks: int
    redacted: int


def write_sft(
    store: Store, training_id: str, selection: Selection, path: Path, *, redact: bool = True
) -> Written:
    """Write the good rollouts of a training to a file; by default, possible secrets are redacted.

    Raises:
        RequestRefused: there are none.
        StoreError: the database cannot be read.
        ConfigError: the file cannot be written.
    """
    redactor = Redactor(known_secrets()) if redact else None
    good = selected(store, training_id, selection)
    if not good:
        raise RequestRefused(
            f"No stored rollout of {training_id} has a reward of {selection.min_reward:g} or more."
        )
    data = b"".join(sft_lines(store, good, redactor))
    write_file(path, data)
    redacted = 0 if redactor is None else redactor.masks_in(data)
    return Written(len(good), len({one.task for one in good}), redacted)


def selected(store: Store, training_id: str, selection: Selection) -> list[Rollout]:
    """Return the rollouts to export, by step; those whose sessions have been deleted are left out.

    Raises:
        StoreError: the database cannot be read.
    """
    found = [one for one in rollouts_of(store, training_id) if store.has_run(one.run_id)]
    good = [
        one
        for one in found
        if one.reward is not None
        and one.reward >= selection.min_reward
        and (selection.held_out or one.split == "train")
    ]
    if selection.each is None:
        return good
    by_task: dict[str, list[Rollout]] = {}
    for one in sorted(good, key=lambda one: (-(one.reward or 0.0), one.steps, one.tokens)):
        of_task = by_task.setdefault(one.task, [])
        if len(of_task) < selection.each:
            of_task.append(one)
    kept = {one.run_id for found in by_task.values() for one in found}
    return [one for one in good if one.run_id in kept]


def sft_lines(
    store: Store, rollouts: list[Rollout], redactor: Redactor | None = None
) -> Iterator[bytes]:
    """Yield a line for each rollout, read on demand.

    Raises:
        StoreError: the database cannot be read.
    """
    for rollout in rollouts:
        (part,) = chat_jsonl.write(Recording(store, rollout.run_id, redactor))
        example = cast(dict[str, Any], json.loads(part.data))
        line = {
            "messages": [_message(message) for message in example["messages"]],
            "tools": json.dumps(example["tools"], ensure_ascii=False),
            "session": rollout.run_id,
            "task": rollout.task,
            "reward": rollout.reward,
        }
        yield json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message without the loss mask, which these trainers do not know, and with an empty
    text instead of null."""
    kept = {name: value for name, value in message.items() if name != "weight"}
    return {**kept, "content": kept.get("content") or ""}
