# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""Episodes as TRL environments, for custom training scripts.

    with TrlEnvironments(settings, reward, tasks) as environments:
        trainer = GRPOTrainer(
            model,
            environment_factory=environments,
            train_dataset=Dataset.from_list(environments.rows()),
            args=GRPOConfig(max_tool_calling_iterations=20, ...),
        )
        trainer.train()

TRL turns every public method of an environment into a tool and derives its schema from the
docstring, so everything else is private or on `TrlEnvironments`. TRL closes no environment;
`TrlEnvironments` does. The chat template has to support tool calls (`trl.chat_template_utils`), and
only GRPOTrainer takes environments. For the same turns in both arms, with the reminders of a run,
use the engine `trl` of `rl train` instead.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.rl.blocking_episode import BlockingEpisode, BlockingPool
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.pool import CONCURRENCY
from sandbox_tui.core.rl.rewards.base import Reward
from sandbox_tui.core.rl.sandbox_episode import PROMPTS
from sandbox_tui.core.rl.turn import StepResult

OVER = "The episode is over."
TOOLS = ("execute_bash", "str_replace_editor", "submit")

_call_numbers = itertools.count(1)


class SandboxEnvironment:
    """One environment, which TRL resets for each rollout. Created by `TrlEnvironments`."""

    def __init__(self, begin: Callable[[str], BlockingEpisode]) -> None:
        self._begin = begin
        self._episode: BlockingEpisode | None = None
        self._last: StepResult | None = None
        self._failed = ""

    def reset(self, **row: Any) -> None:
        """Start the task of a dataset row, and close the previous rollout."""
        self._close()
        self._last, self._failed = None, ""
        self._episode = self._begin(str(row["task"]))

    def get_reward(self) -> float | None:
        """The reward of the rollout; 0 if it did not finish, None if its sandbox failed."""
        self._close()
        if self._failed:
            return None
        return self._last.reward if self._last is not None and self._last.done else 0.0

    def execute_bash(self, command: str) -> str:
        """Execute a bash command in the sandbox.

        Args:
            command: The command to execute.

        Returns:
            Its exit code and output.
        """
        return self._call("execute_bash", command=command)

    def submit(self) -> str:
        """Finish the task: the answer has been written.

        Returns:
            A confirmation.
        """
        return self._call("submit")

    def _call(self, name: str, **arguments: Any) -> str:
        """Take a turn that makes one tool call, and return what the model reads."""
        if self._episode is None or (self._last is not None and self._last.done):
            return OVER
        try:
            self._last = self._episode.step(_message(name, arguments))
        except SandboxTuiError as error:
            self._failed = str(error)
            self._close()
            return OVER
        if self._last.done:
            self._close()
        texts = [str(message["content"]) for message in self._last.messages]
        return "\n\n".join(texts) or OVER

    def _close(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None


class EditorEnvironment(SandboxEnvironment):
    """The same environment with the editor."""

    def str_replace_editor(
        self,
        command: str,
        path: str,
        file_text: str | None = None,
        old_str: str | None = None,
        new_str: str | None = None,
        insert_line: int | None = None,
        view_range: list[int] | None = None,
    ) -> str:
        """View, create and edit files in the sandbox.

        Args:
            command: One of view, create, str_replace and insert.
            path: Absolute path of a file or directory.
            file_text: For create: content of the file.
            old_str: For str_replace: text to replace, which must occur exactly once.
            new_str: For str_replace and insert: the new text.
            insert_line: For insert: the line after which new_str goes, 0 for the start.
            view_range: For view: first and last line, counted from 1; -1 is the end.

        Returns:
            What was seen or done.
        """
        given = {
            "command": command,
            "path": path,
            "file_text": file_text,
            "old_str": old_str,
            "new_str": new_str,
            "insert_line": insert_line,
            "view_range": view_range,
        }
        kept = {name: value for name, value in given.items() if value is not None}
        return self._call("str_replace_editor", **kept)


class TrlEnvironments:
    """Environment factory for `GRPOTrainer`. As a context manager, it closes what it created.

    Args:
        settings: episode settings; their tools are the default ones, with or without the editor.
        reward: reward of the episodes.
        tasks: tasks that the dataset names.
        concurrency: maximum number of open sandboxes: the rollouts of a step, since TRL resets all
            of them before it generates.

    Raises:
        ConfigError: the settings are for text-only episodes, or have other tools.
    """

    def __init__(
        self,
        settings: EpisodeSettings,
        reward: Reward,
        tasks: Sequence[Task],
        *,
        concurrency: int = CONCURRENCY,
    ) -> None:
        if settings.mode != "sandbox":
            raise ConfigError("A text-only episode has no tools, and needs no environment of TRL.")
        self._kind = _kind(settings.tools or TOOLS)
        self._settings = settings
        self._tasks: Mapping[str, Task] = {task.id: task for task in tasks}
        self._made: list[SandboxEnvironment] = []
        self._lock = threading.Lock()
        self._pool = BlockingPool(settings, reward, concurrency=concurrency)

    def __call__(self) -> SandboxEnvironment:
        """Create an environment."""
        environment = self._kind(self._episode)
        with self._lock:
            self._made.append(environment)
        return environment

    def __enter__(self) -> TrlEnvironments:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every environment and its sandbox. Safe to call twice."""
        for environment in self._made:
            environment._close()
        self._pool.close()

    def rows(self) -> list[dict[str, Any]]:
        """Return the dataset: one row per task, with its prompt."""
        pack = load_pack(self._settings.prompts or PROMPTS)
        return [
            {
                "task": task.id,
                "prompt": [
                    {"role": "system", "content": pack.system("")},
                    {"role": "user", "content": pack.instance(task.problem)},
                ],
            }
            for task in self._tasks.values()
        ]

    def _episode(self, task: str) -> BlockingEpisode:
        episode = self._pool.episode()
        episode.reset(self._tasks[task])
        return episode


def _kind(tools: Sequence[str]) -> type[SandboxEnvironment]:
    if sorted(tools) == sorted(TOOLS):
        return EditorEnvironment
    if sorted(tools) == ["execute_bash", "submit"]:
        return SandboxEnvironment
    raise ConfigError(
        "An environment of TRL has the tools execute_bash and submit, and str_replace_editor where "
        "it is wanted."
    )


def _message(name: str, arguments: Mapping[str, Any]) -> Message:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"trl{next(_call_numbers):06d}", "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}
