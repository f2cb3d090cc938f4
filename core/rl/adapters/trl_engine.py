# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""The engine `trl`: TRL's GRPOTrainer updates the weights; this project runs the episodes.

TRL calls `rollout_func` once per step and gets whole transcripts: prompt, completion, and which of
its tokens the policy sampled. So prompts, tools and turns are those of every other run of this
program, TRL's own tool call loop and chat templates are not involved, and both arms use the same
path. Advantages are computed here as well: TRL gets them as rewards and only subtracts their mean
in the group, which is 0.

Needs the extra `trl`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from transformers.utils import logging
from trl import GRPOConfig, GRPOTrainer
from typing_extensions import override

from sandbox_tui.core.rl.adapters.local_conversations import LocalConversations
from sandbox_tui.core.rl.adapters.local_policy import LocalPolicy
from sandbox_tui.core.rl.training.engine import Engine, TrainingJob

FINAL = "final"
"""Folder of the final model of a training, next to its checkpoints."""

_LOGGED = ("loss", "grad_norm", "entropy", "kl")


class TrlEngine(Engine):
    """Updates the weights with TRL's GRPOTrainer."""

    @override
    def train(self, job: TrainingJob) -> None:
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # these packages warn about each other
            self._train(job)

    def _train(self, job: TrainingJob) -> None:
        policy = LocalPolicy.load(job.recipe.model, threads=job.recipe.threads)
        policy.tokenizer.padding_side = "left"
        if policy.tokenizer.pad_token is None:
            policy.tokenizer.pad_token = policy.tokenizer.eos_token
        trainer = _trainer(job, policy)
        resumed = None if job.checkpoint is None else str(job.checkpoint)
        trainer.train(resume_from_checkpoint=resumed)
        trainer.save_model(str(job.folder / FINAL))
        policy.tokenizer.save_pretrained(str(job.folder / FINAL))


def _trainer(job: TrainingJob, policy: LocalPolicy) -> GRPOTrainer:
    training = job.recipe.training
    conversations = LocalConversations(
        policy,
        reply_tokens=training.reply_tokens,
        temperature=training.temperature,
        batch=training.concurrency,
    )

    def rollouts(prompts: Sequence[str], trainer: GRPOTrainer) -> dict[str, Any]:
        return _rollouts(job, trainer, conversations)

    def advantages(advantage: Sequence[float], **_: Any) -> list[float]:
        return list(advantage)

    trainer = GRPOTrainer(
        model=policy.model,
        reward_funcs=advantages,
        args=_arguments(job),
        # the job chooses the tasks of a step; TRL still requires rows
        train_dataset=Dataset.from_list([{"prompt": str(n)} for n in range(training.prompts)]),
        processing_class=policy.tokenizer,
        callbacks=[_Steps(job, conversations)],
        rollout_func=rollouts,
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _arguments(job: TrainingJob) -> GRPOConfig:
    recipe, training = job.recipe, job.recipe.training
    rollouts = training.prompts * training.group
    micro_batch = training.micro_batch or rollouts
    has_gpu = torch.cuda.is_available()
    return GRPOConfig(
        output_dir=str(job.folder),
        max_steps=training.steps,
        per_device_train_batch_size=micro_batch,
        gradient_accumulation_steps=rollouts // micro_batch,
        num_generations=training.group,
        learning_rate=training.learning_rate,
        lr_scheduler_type="constant",
        weight_decay=0.0,
        temperature=training.temperature,
        epsilon=training.clip,
        beta=training.kl,
        scale_rewards="none",
        max_completion_length=training.reply_tokens * recipe.episodes.limits.max_steps,
        seed=recipe.seed,
        save_strategy="steps",
        save_steps=recipe.checkpoints.every,
        save_total_limit=recipe.checkpoints.keep,
        ignore_data_skip=True,
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        use_cpu=not has_gpu,
        bf16=has_gpu,
        gradient_checkpointing=has_gpu,
    )


def _rollouts(
    job: TrainingJob, trainer: GRPOTrainer, conversations: LocalConversations
) -> dict[str, Any]:
    """Return the transcripts of the next step, in TRL's format."""
    step = int(trainer.state.global_step) + 1
    model = conversations.policy.model
    was_training = model.training
    model.eval()
    try:
        scored = job.rollouts(step, conversations)
    finally:
        model.train(was_training)
    end = conversations.policy.tokenizer.eos_token_id
    # an attempt whose model or sandbox failed at once has no tokens; TRL requires at least one
    return {
        "prompt_ids": [one.attempt.transcript.prompt or [end] for one in scored],
        "completion_ids": [one.attempt.transcript.completion or [end] for one in scored],
        "logprobs": [one.attempt.transcript.logprobs or [0.0] for one in scored],
        "env_mask": [
            [int(flag) for flag in one.attempt.transcript.sampled] or [0] for one in scored
        ],
        "advantage": [one.advantage for one in scored],
    }


class _Steps(TrainerCallback):
    """Reports finished steps to the job, and has the policy measured."""

    def __init__(self, job: TrainingJob, conversations: LocalConversations) -> None:
        self._job = job
        self._conversations = conversations

    @override
    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._job.checkpoint is None:
            self._measure(0)

    @override
    def on_log(
        self,
        args: Any,
        state: Any,
        control: Any,
        logs: Mapping[str, float] | None = None,
        **_: Any,
    ) -> None:
        if logs is None or "loss" not in logs:  # the last log summarizes the training
            return
        metrics = {name: float(logs[name]) for name in _LOGGED if name in logs}
        self._measure(int(state.global_step))
        self._job.step_finished(int(state.global_step), metrics)

    def _measure(self, step: int) -> None:
        model = self._conversations.policy.model
        was_training = model.training
        model.eval()
        try:
            self._job.measure(step, self._conversations)
        finally:
            model.train(was_training)
