# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""TRL's own trainer with our environments: real sandboxes, a real model, two steps on a CPU."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="needs the extra trl")

import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.types import Limits
from sandbox_tui.core.rl.adapters.trl_environment import TrlEnvironments
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.rewards.outcome import OutcomeReward
from tests.integration.conftest import require
from tests.untrained_model import tokenizer, untrained_policy

REPLY = """<tool_call>
{{"name": "execute_bash", "arguments": {{"command": "echo {number} >output/answer.txt"}}}}
</tool_call>
<tool_call>
{{"name": "submit", "arguments": {{}}}}
</tool_call>"""
NUMBERS = (42, 77)
"""Answers that the model has learnt: the target, and a wrong one."""

STEPS = 2
LESSONS = 240
pytestmark = pytest.mark.filterwarnings("ignore")  # the packages trigger each other's warnings
TASKS = [
    Task(id=f"t{n}", problem=f"What is {n} + {42 - n}?", target="42", scorer="number")
    for n in (20, 21)
]


def taught(prompts: list[list[int]], replies: list[list[int]]) -> Any:
    """A model trained to answer every prompt with one of the replies."""
    model = untrained_policy(context=16384).model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    pairs = itertools.cycle(itertools.product(prompts, replies))
    for prompt, reply in itertools.islice(pairs, LESSONS):
        ids = torch.tensor([prompt + reply])
        labels = torch.tensor([[-100] * len(prompt) + reply])
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def test_two_steps_of_grpo_in_real_sandboxes(tmp_path: Path) -> None:
    require("bubblewrap")
    fast = tokenizer(qwen3_chat_template)
    settings = EpisodeSettings(
        sandbox="bubblewrap", tools=("execute_bash", "submit"), limits=Limits(max_steps=4)
    )
    with TrlEnvironments(settings, OutcomeReward(), TASKS, concurrency=4) as environments:
        rows = environments.rows()
        made = environments()
        tools = [made.execute_bash, made.submit]
        prompts = [
            fast.apply_chat_template(
                row["prompt"], tools=tools, add_generation_prompt=True, return_dict=False
            )
            for row in rows
        ]
        replies = [
            [*fast.encode(REPLY.format(number=number)), fast.eos_token_id] for number in NUMBERS
        ]
        trainer = GRPOTrainer(
            taught(prompts, replies),
            environment_factory=environments,
            train_dataset=Dataset.from_list(rows),
            processing_class=fast,
            args=GRPOConfig(
                output_dir=str(tmp_path),
                max_steps=STEPS,
                per_device_train_batch_size=4,
                num_generations=4,
                max_completion_length=400,
                max_tool_calling_iterations=2,
                report_to="none",
                use_cpu=True,
                bf16=False,
                save_strategy="no",
                logging_steps=1,
                log_completions=False,
            ),
        )
        trainer.train()
    steps = [one for one in trainer.state.log_history if "reward" in one]
    assert len(steps) == STEPS
    assert all(one["tools/call_frequency"] >= 1.0 for one in steps), steps
    assert all(one["tools/failure_frequency"] == 0.0 for one in steps), steps
    assert any(0.0 < one["reward"] < 1.0 and one["grad_norm"] > 0 for one in steps), steps
