"""How a run starts: fresh, resumed or forked. `Run` uses one of these strategies.

`FreshStart` is here; `core.lineage` has `ResumedStart` and `ForkedStart`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from typing_extensions import override

from sandbox_tui.core.agent.checkpoint import AgentCheckpoint
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR, HumanItem, RunState
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.prompts import PromptPack
from sandbox_tui.core.run.recorded_settings import recorded_settings
from sandbox_tui.core.sandboxes.base import Sandbox
from sandbox_tui.core.tools.base import Tool
from sandbox_tui.core.tools.registry import command_docs

if TYPE_CHECKING:
    from sandbox_tui.core.run.run import Run


class RunStart(Protocol):
    """The start of one run.

    Attributes:
        state: the fold of earlier events, to which this run's events are applied.
        checkpoint: where the agent continues.
        reattaches: whether to reattach to an existing sandbox instead of starting one.
        commands: the user's commands that are recorded but have not run.
    """

    @property
    def state(self) -> RunState: ...

    @property
    def elapsed(self) -> float:
        """Seconds on the run's clock at this start."""
        return self.state.t

    @property
    def checkpoint(self) -> AgentCheckpoint: ...

    @property
    def reattaches(self) -> bool: ...

    @property
    def commands(self) -> Sequence[HumanItem]: ...

    def restore(self, run: Run) -> None:
        """Restore the mode, queued messages and other visible state, before the run starts."""
        ...

    def initial_events(self, run: Run) -> Sequence[e.AnyEvent]:
        """Return the run's first events; called when its sandbox is ready."""
        ...

    async def prepare(self, run: Run) -> list[dict[str, Any]]:
        """Put the files into the state the agent continues from; returns the conversation."""
        ...

    def time_left(self, limit: float | None) -> float | None:
        """Return the rest of the time limit, in seconds."""
        ...


class FreshStart(RunStart):
    """A new run of a task."""

    def __init__(self) -> None:
        self._state = RunState()

    @property
    @override
    def state(self) -> RunState:
        return self._state

    @property
    @override
    def checkpoint(self) -> AgentCheckpoint:
        return AgentCheckpoint()

    @property
    @override
    def reattaches(self) -> bool:
        return False

    @property
    @override
    def commands(self) -> Sequence[HumanItem]:
        return ()

    @override
    def restore(self, run: Run) -> None:
        run.gate.set_mode(run.spec.mode)

    @override
    def initial_events(self, run: Run) -> Sequence[e.AnyEvent]:
        columns, rows = run.spec.mirror_size
        return [_started(run), e.TerminalOpened(terminal=MIRROR, cols=columns, rows=rows)]

    @override
    async def prepare(self, run: Run) -> list[dict[str, Any]]:
        await run.copy_input()
        await run.set_up(run.spec.setup)
        await run.environment.watcher.scan_initial()
        return opening_messages(run)

    @override
    def time_left(self, limit: float | None) -> float | None:
        return limit


def opening_messages(run: Run) -> list[dict[str, Any]]:
    """Return the messages that open a conversation; a pack may have no system prompt."""
    return initial_messages(run.pack, run.environment.tools, run.spec.task)


def initial_messages(pack: PromptPack, tools: Sequence[Tool], task: str) -> list[dict[str, Any]]:
    """Return the messages that open a conversation about a task, with the prompts of a pack."""
    system = pack.system(command_docs(tools))
    instance = {"role": "user", "content": pack.instance(task)}
    return [{"role": "system", "content": system}, instance] if system.strip() else [instance]


def run_started(
    run_id: str,
    task: str,
    *,
    model: str,
    model_params: Mapping[str, Any],
    sandbox: Sandbox,
    pack: PromptPack,
    opening: Sequence[Message],
    limits: e.Limits,
    settings: e.RunSettings,
) -> e.RunStarted:
    """Return the first event of a run that starts now.

    Args:
        run_id: the session's id.
        task: the task for the model.
        model, model_params: as recorded, without secrets.
        sandbox: where tools run; already started.
        pack: the prompts.
        opening: the messages that open the conversation.
        limits: the limits in force.
        settings: everything else that a resume or a fork needs.
    """
    *system, instance = (str(message["content"]) for message in opening)
    return e.RunStarted(
        schema=e.SCHEMA_VERSION,
        run_id=run_id,
        started_at=time.time(),
        task=task,
        model=model,
        model_params=dict(model_params),
        sandbox=sandbox.kind,
        sandbox_info=dict(sandbox.info),
        prompt_pack=pack.name,
        system_prompt="".join(system),
        instance_prompt=instance,
        working_dir=pack.working_dir,
        input_dir=pack.input_dir,
        output_dir=pack.output_dir,
        limits=limits,
        settings=settings,
    )


def _started(run: Run) -> e.RunStarted:
    spec, environment = run.spec, run.environment
    return run_started(
        spec.run_id,
        spec.task,
        model=run.model.name,
        model_params=run.model.params,
        sandbox=environment.sandbox,
        pack=run.pack,
        opening=opening_messages(run),
        limits=spec.limits,
        settings=recorded_settings(spec, environment.sandbox.spec, environment.tools),
    )
