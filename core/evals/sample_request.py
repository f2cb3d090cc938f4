"""Builds the run request of each sample."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.evals.documents import inline_documents
from sandbox_tui.core.evals.sample import Sample, SampleKey
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import VANILLA_PROMPT
from sandbox_tui.core.events.types import TurnPolicy
from sandbox_tui.core.prompts import PromptPack, load_one_reply_pack, load_pack
from sandbox_tui.core.run.run_request import RunRequest

WITH_DOCUMENTS = "{problem}\n\n{documents}"

CUT_DOCUMENT_NAMES = "documents_cut"
CUT_DOCUMENT_COUNT = "cut_documents"
"""Run labels: names and number of the documents that the prompt does not contain in full."""

WINDOW_SHARE = 0.75
"""Share of the model's context for documents in the prompt; the rest is for task and reply."""

_OF_SAMPLES = {"sandbox.snapshots": "off"}
"""Settings of samples that only the suite can override, not the user: thousands of samples with a
snapshot each would fill the disk."""

_ONE_REPLY = TurnPolicy(no_call="final_answer", steps_remaining=False)


@dataclass(frozen=True, slots=True)
class SampleRequests:
    """Builds the request of each sample of a suite.

    Args:
        suite: the suite.
        settings: the user's settings, overridden by the suite's.
        pack: prompts for the modes with a computer.
        vanilla_packs: prompts for `vanilla`, by domain.
        eval_id: evaluation id, recorded with each run.
        window: token budget for documents in the prompt; None: no limit.
    """

    suite: Suite
    settings: config.Settings
    pack: PromptPack
    vanilla_packs: Mapping[str, PromptPack]
    eval_id: str
    window: int | None

    @classmethod
    def of(
        cls,
        suite: Suite,
        settings: config.Settings,
        eval_id: str,
        *,
        context: int | None = None,
    ) -> SampleRequests:
        """Build the requests of a suite from the user's settings. Documents in the prompt may take
        the suite's `window`, or else `WINDOW_SHARE` of the model's context: its configured length,
        or the `context` tokens that its server reports.

        Raises:
            ConfigError: a setting or prompt pack of the suite is invalid.
        """
        settings = config.changed(settings, {**_OF_SAMPLES, **_dotted(suite)})
        return cls(
            suite,
            settings,
            load_pack(suite.prompts or settings.agent.prompts),
            {
                domain: load_one_reply_pack(suite.vanilla_prompts_of(domain))
                for domain in suite.domains
            },
            eval_id,
            suite.window or _window(settings.model.context_length or context),
        )

    @property
    def packs(self) -> dict[str, PromptPack]:
        """The prompt packs that the suite's modes use, by setting and domain."""
        has_computer = any(mode != "vanilla" for mode in self.suite.modes)
        used = {"prompts": self.pack} if has_computer else {}
        if "vanilla" in self.suite.modes:
            used |= {f"vanilla_prompts {name}": pack for name, pack in self.vanilla_packs.items()}
        return used

    def request(self, sample: Sample, attempt: int) -> RunRequest:
        """Build the request for one attempt at a sample.

        Raises:
            ConfigError: a limit of the task is invalid.
        """
        if sample.key.mode == "vanilla":
            return self._vanilla(sample, attempt)
        return self._sandbox(sample, attempt)

    def _vanilla(self, sample: Sample, attempt: int) -> RunRequest:
        own_prompt = sample.task.metadata.get(VANILLA_PROMPT)
        request = self._base(sample, attempt, in_prompt=own_prompt is None)
        return replace(
            request,
            task=request.task if own_prompt is None else str(own_prompt),
            settings=config.changed(request.settings, {"limits.max_steps": 1}),
            pack=self.vanilla_packs[sample.task.domain],
            tools=(),
            turn_policy=_ONE_REPLY,
        )

    def _sandbox(self, sample: Sample, attempt: int) -> RunRequest:
        in_prompt = sample.key.mode == "sandbox-context"
        request = self._base(sample, attempt, in_prompt=in_prompt)
        task = sample.task
        files = {} if in_prompt else dict(task.files)
        return replace(request, pack=self.pack, files=files, setup=task.setup)

    def _base(self, sample: Sample, attempt: int, *, in_prompt: bool) -> RunRequest:
        task, labels = sample.task, self._labels(sample, attempt)
        problem = task.problem
        if in_prompt and task.files:
            documents = inline_documents(task.files, self.window)
            problem = WITH_DOCUMENTS.format(problem=problem, documents=documents.text)
            if documents.cut:
                labels[CUT_DOCUMENT_NAMES] = ", ".join(documents.cut)
                labels[CUT_DOCUMENT_COUNT] = str(len(documents.cut))
        own: dict[str, Any] = {f"limits.{name}": value for name, value in task.limits.items()}
        if task.image:
            own["sandbox.image"] = task.image
        return RunRequest(
            task=problem,
            settings=config.changed(self.settings, own) if own else self.settings,
            mode="auto",
            copy_results=False,
            labels=labels,
            seed=seed_of(self.suite, sample.key),
            watch="at_end",
        )

    def _labels(self, sample: Sample, attempt: int) -> dict[str, str]:
        labels = {
            "eval": self.eval_id,
            "suite": self.suite.name,
            "task": sample.key.task,
            "mode": sample.key.mode,
            "sample": str(sample.key.number),
            "attempt": str(attempt),
        }
        return labels | ({"domain": sample.task.domain} if sample.task.domain else {})


def seed_of(suite: Suite, key: SampleKey) -> int:
    """Return the seed of a sample: the same in every mode, on every machine and after a restart."""
    data = f"{suite.seed}/{suite.name}/{key.task}/{key.number}".encode()
    return int.from_bytes(hashlib.sha256(data).digest()[:4]) >> 1


def _window(context_length: int | None) -> int | None:
    return None if context_length is None else int(context_length * WINDOW_SHARE)


def _dotted(suite: Suite) -> dict[str, Any]:
    """Return the suite's settings by dotted name."""
    tables = {"model": suite.model, "limits": suite.limits, "sandbox": suite.sandbox}
    return {
        f"{table}.{name}": value
        for table, values in tables.items()
        for name, value in values.items()
    }
