# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""An episode as an OpenEnv environment (package `openenv`): reset, step, state, close.

OpenEnv creates one environment per connection. A policy sends each reply as a message, as the text
that it generated, or as one tool call, and gets the messages that follow. Tasks are chosen as usual
in OpenEnv, by `split` and `index`, or by id or seed; or the client sends its own.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import Field
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.rl.adapters.client_disconnect import unless_client_left
from sandbox_tui.core.rl.episode import Episode
from sandbox_tui.core.rl.turn import StepResult

NAME = "sandbox_tui"
SPLIT = "train"

_SENT_WITH_TASK = {"id", "problem", "target", "domain", "files"}


class EpisodeAction(Action):
    """A reply of the policy: exactly one of `message`, `text` and `tool`."""

    message: dict[str, Any] | None = Field(
        default=None, description="An assistant message of the OpenAI chat format."
    )
    text: str | None = Field(
        default=None, description="What the policy wrote, its tool calls in it as text."
    )
    tool: str | None = Field(default=None, description="Name of a tool to call.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Arguments of the tool.")

    def reply(self) -> Message | str:
        """Convert the action to a reply for the episode.

        Raises:
            SandboxTuiError: the action does not hold exactly one. A pydantic validator cannot check
                this: OpenEnv cannot encode its error and would end the session.
        """
        if sum(value is not None for value in (self.message, self.text, self.tool)) != 1:
            raise SandboxTuiError("An action has exactly one of message, text and tool.")
        if self.message is not None:
            return self.message
        if self.text is not None:
            return self.text
        assert self.tool is not None
        function = {"name": self.tool, "arguments": json.dumps(self.arguments)}
        call = {"id": f"call_{secrets.token_hex(4)}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


class EpisodeObservation(Observation):
    """What follows a reset (the whole conversation) or a step (the messages it appended)."""

    messages: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(
        default_factory=list, description="OpenAI function objects; with a reset only."
    )
    text: str | None = Field(
        default=None, description="The rendered prompt, where tool calls travel as text."
    )
    terminated: bool = Field(default=False, description="The policy submitted or answered.")
    truncated: bool = Field(default=False, description="A limit of steps, tokens or time.")
    reason: str = Field(default="", description="Why the episode is over.")


class EpisodeState(State):
    """State of an episode."""

    task_id: str = ""
    messages: int = Field(default=0, description="Messages of the conversation.")
    terminated: bool = False
    truncated: bool = False
    reward: float = 0.0


class SandboxEnvironment(Environment[EpisodeAction, EpisodeObservation, EpisodeState]):
    """The environment of one connection. Its episode lives on the event loop of the server.

    Args:
        tasks: the tasks that `split` and `index`, a seed or an id select from.
        turns: counter shared by all connections, for resets that select nothing: they get the tasks
            in turn.
        open_episode: creates an episode, not yet reset.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        tasks: Sequence[Task],
        turns: itertools.count[int],
        open_episode: Callable[[], Episode],
    ) -> None:
        super().__init__()
        self._tasks = tasks
        self._turns = turns
        self._open_episode = open_episode
        self._episode: Episode | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._state = EpisodeState()
        self._over = False

    @override
    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> EpisodeObservation:
        """Close the open episode and start another.

        Args:
            seed: selects a task of the file.
            episode_id: id of the episode in `state`.
            kwargs: `task` (an id, or an object with problem, target, domain and files), or
                `split` and `index`.
        """
        task = self._task(seed, kwargs)
        await self._close_episode()
        self._loop = asyncio.get_running_loop()
        self._episode = self._open_episode()
        turn = await unless_client_left(self._episode.reset(task))
        self._over = False
        self._state = EpisodeState(
            episode_id=episode_id or secrets.token_hex(8),
            task_id=task.id,
            messages=len(turn.messages),
        )
        return EpisodeObservation(
            messages=list(turn.messages),
            tools=list(turn.tools),
            text=turn.text,
            reward=0.0,
            metadata={"task_id": task.id, "domain": task.domain},
        )

    @override
    async def step_async(
        self, action: EpisodeAction, timeout_s: float | None = None, **kwargs: Any
    ) -> EpisodeObservation:
        """Take one reply of the policy; `done` means that the episode is over.

        Raises:
            SandboxTuiError: there is no episode, or it is over.
        """
        if self._episode is None or self._over:
            raise SandboxTuiError("There is no episode: reset the environment first.")
        result = await unless_client_left(self._episode.step(action.reply()))
        self._over = result.turn is None
        state = self._state
        self._state = EpisodeState(
            episode_id=state.episode_id,
            step_count=state.step_count + 1,
            task_id=state.task_id,
            messages=state.messages + 1 + len(result.messages),
            terminated=result.terminated,
            truncated=result.truncated,
            reward=result.reward,
        )
        return _observation(result)

    @override
    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> EpisodeObservation:
        raise NotImplementedError("This environment is asynchronous: use reset_async.")

    @override
    def step(
        self, action: EpisodeAction, timeout_s: float | None = None, **kwargs: Any
    ) -> EpisodeObservation:
        raise NotImplementedError("This environment is asynchronous: use step_async.")

    @property
    @override
    def state(self) -> EpisodeState:
        return self._state

    @override
    def close(self) -> None:
        """Close the episode. OpenEnv calls this in a thread of the connection, or on the loop."""
        loop = self._loop
        if self._episode is None or loop is None or loop.is_closed():
            return
        closed = asyncio.run_coroutine_threadsafe(self._close_episode(), loop)
        if not _is_running(loop):
            closed.result()

    @override
    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(
            name=NAME,
            description="A task to be solved with tools in a sandbox; a reward at the end.",
        )

    # --- OpenEnv's task API; no target leaves the server

    def list_splits(self) -> list[str]:
        """Return the names of the splits; there is only one."""
        return [SPLIT]

    def num_tasks(self, split: str) -> int:
        """Return the number of tasks in the split."""
        return len(self._split(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return all tasks of the split."""
        return self.get_task_range(split)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return one task.

        Raises:
            IndexError: the task does not exist.
        """
        tasks = self._split(split)
        if not 0 <= index < len(tasks):
            raise IndexError(index)
        return _described(tasks[index], index)

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """Return the tasks of a slice of the split."""
        numbered = list(enumerate(self._split(split)))[start:stop]
        return [_described(task, index) for index, task in numbered]

    # --- internals

    def _split(self, split: str) -> Sequence[Task]:
        return self._tasks if split == SPLIT else ()

    def _task(self, seed: int | None, selection: Mapping[str, Any]) -> Task:
        """Return the task that a reset requests.

        Raises:
            SandboxTuiError: the task does not exist.
        """
        task, index = selection.get("task"), selection.get("index")
        if isinstance(task, Mapping):
            return _sent_task(task)
        if task is not None:
            return self._named(str(task))
        if index is not None:
            tasks = self._split(str(selection.get("split", SPLIT)))
            if not isinstance(index, int) or not 0 <= index < len(tasks):
                raise SandboxTuiError(f"There is no task {index}; the split has {len(tasks)}.")
            return tasks[index]
        number = next(self._turns) if seed is None else seed
        return self._tasks[number % len(self._tasks)]

    def _named(self, task_id: str) -> Task:
        for task in self._tasks:
            if task.id == task_id:
                return task
        raise SandboxTuiError(f"There is no task {task_id!r}.")

    async def _close_episode(self) -> None:
        episode, self._episode = self._episode, None
        if episode is not None:
            await episode.close()


def _sent_task(sent: Mapping[str, Any]) -> Task:
    """Build a task from a client: text only, without image, commands or its own scorer.

    Raises:
        SandboxTuiError: it has other fields, or no problem.
    """
    unknown = sorted(set(sent) - _SENT_WITH_TASK)
    if unknown or not sent.get("problem"):
        raise SandboxTuiError(
            "A task sent by the client has a problem, and may have an id, a target, a domain and "
            f"files{'; not ' + ', '.join(unknown) if unknown else ''}."
        )
    files = {str(path): str(text).encode() for path, text in dict(sent.get("files") or {}).items()}
    return Task(
        id=str(sent.get("id") or f"sent-{secrets.token_hex(4)}"),
        problem=str(sent["problem"]),
        target=str(sent.get("target") or ""),
        domain=str(sent.get("domain") or ""),
        files=files,
    )


def _described(task: Task, index: int) -> dict[str, Any]:
    return {
        "id": task.id,
        "index": index,
        "split": SPLIT,
        "problem": task.problem,
        "domain": task.domain,
    }


def _observation(result: StepResult) -> EpisodeObservation:
    info = result.info
    return EpisodeObservation(
        messages=list(result.messages),
        text=result.turn.text if result.turn is not None else None,
        terminated=result.terminated,
        truncated=result.truncated,
        reason=info.reason or "",
        done=result.turn is None,
        reward=result.reward,
    )


def _is_running(loop: asyncio.AbstractEventLoop) -> bool:
    """Return whether the caller runs on this loop, which must not wait for itself."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
