"""The start of a fork: its events, and its sandbox rebuilt as of the fork point."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from typing_extensions import override

from sandbox_tui.core.agent.checkpoint import AgentCheckpoint
from sandbox_tui.core.agent.message_queue import QueuedMessage
from sandbox_tui.core.agent.model_messages import NOT_RUN_IN_FORK
from sandbox_tui.core.base.defaults import MIRROR_SIZE
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR, HumanItem, RunState, fold
from sandbox_tui.core.lineage.fork_point import (
    BaseSnapshot,
    CommandReplay,
    ForkPoint,
    SideEffect,
)
from sandbox_tui.core.lineage.recovery import RecoveredRun
from sandbox_tui.core.lineage.replay_effects import (
    ReplayContext,
    reconcile_files,
    replay,
    restore_inputs,
)
from sandbox_tui.core.run.input_files import write_files
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.start import RunStart


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkedStart(RunStart):
    """Continues another run from the middle, in a new sandbox.

    Attributes:
        fork_point: where the fork departs from its parent.
        base: the snapshot its sandbox starts from; None for the recorded input.
        recovered: the parent's state at that point.
        message: a user message for the model; may be empty.
        edited: new arguments (JSON text) for the next call; None to keep the model's.
        inputs: the parent's input files that were given as bytes.
        setup: the commands that prepared the parent's sandbox.
    """

    fork_point: ForkPoint
    base: BaseSnapshot | None
    recovered: RecoveredRun
    message: str = ""
    edited: str | None = None
    inputs: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    setup: tuple[str, ...] = ()

    @property
    @override
    def reattaches(self) -> bool:
        return False

    @property
    @override
    def commands(self) -> Sequence[HumanItem]:
        return ()

    @property
    @override
    def state(self) -> RunState:
        return self.recovered.state

    @property
    @override
    def checkpoint(self) -> AgentCheckpoint:
        """The parent's checkpoint, with a submit undone; a waiting call is decided again in the
        fork's own mode."""
        return dataclasses.replace(
            self.recovered.checkpoint,
            submitted=False,
            cost=0.0,
            proposed_held=False,
            edited=self.edited,
        )

    @property
    def _edited_call(self) -> e.ToolCall | None:
        call = self.fork_point.next_call
        if call is None or self.edited is None:
            return None
        return msgspec.structs.replace(call, arguments=self.edited)

    @property
    def effects(self) -> list[SideEffect]:
        """The effects to repeat in the sandbox."""
        return self.fork_point.effects_since(self.base)

    @override
    def restore(self, run: Run) -> None:
        recovered = self.recovered
        run.gate.restore(recovered.mode, recovered.resume_mode, recovered.granted)
        run.queue.restore(self._queued())
        run.shells.restore(recovered.shells)
        if self.message:
            run.message(self.message)
        run.gate.set_mode(run.spec.mode)

    @override
    def initial_events(self, run: Run) -> Sequence[e.AnyEvent]:
        return list(self._events(run.environment.sandbox.info, run.model.name))

    @override
    async def prepare(self, run: Run) -> list[dict[str, Any]]:
        environment = run.environment
        await environment.mirror.remark(f"forked here from {self.fork_point.parent}")
        context = ReplayContext(environment=environment, blobs=run.blobs)
        if self.base is None:
            await write_files(self.inputs, environment.sandbox, run.pack.input_dir)
            await run.set_up(self.setup)
        await self._rebuild_sandbox(context, run.pack.working_dir)
        await run.copy_input()
        await environment.watcher.baseline_fork(run.state.files, step=run.state.step)
        return self.recovered.messages

    @override
    def time_left(self, limit: float | None) -> float | None:
        return limit

    def _queued(self) -> list[QueuedMessage]:
        """Return the messages waiting for the model, except the results of commands that were
        running."""
        running = {item.id for item in self.recovered.lost_commands}
        return [message for message in self.recovered.message_queue if message.id not in running]

    def _events(self, sandbox_info: dict[str, str], model: str) -> Iterator[e.AnyEvent]:
        """Yield events that describe the fork's origin and end what it does not inherit."""
        fork_point, state = self.fork_point, self.recovered.state
        yield e.Forked(
            parent=fork_point.parent,
            parent_seq=fork_point.seq,
            step=fork_point.step,
            snapshot=None if self.base is None else self.base.name,
            repeats=sum(isinstance(effect, CommandReplay) for effect in self.effects),
            model=model,
            sandbox_info=dict(sandbox_info),
            edited=self._edited_call,
        )
        if not fork_point.exact:
            yield e.Warned(
                text="The conversation could not be rebuilt exactly: the model may continue "
                "from something slightly different from what it had been sent."
            )
        if state.frozen:
            yield e.SandboxThawed(by="program")
        if MIRROR not in state.terminals:
            yield e.TerminalOpened(terminal=MIRROR, cols=MIRROR_SIZE[0], rows=MIRROR_SIZE[1])
        for terminal in list(state.terminals):
            if terminal != MIRROR:
                yield e.TerminalClosed(terminal=terminal)
        for item in self.recovered.lost_commands:
            yield e.HumanCommandFinished(
                id=item.id, observation=NOT_RUN_IN_FORK, exit_code=None, duration=0.0
            )
            yield e.Withdrawn(id=item.id)
        for item in self.recovered.commands:
            yield e.Withdrawn(id=item.id)
        yield from fork_point.trailing_changes

    async def _rebuild_sandbox(self, context: ReplayContext, root: str) -> None:
        """Repeat the effects that the base lacks; `root` is the watched directory."""
        if self.base is None:
            await restore_inputs(_first_files(self.fork_point.history), context)
        effects = self.effects
        await replay(effects, context)
        if effects or self.base is None:
            await reconcile_files(self._expected().files, context, root)

    def _expected(self) -> RunState:
        return fold([*self.fork_point.history, *self.fork_point.trailing_changes])


def _first_files(history: Sequence[e.AnyEvent]) -> Sequence[e.FileChange]:
    listed = (event.files for event in history if isinstance(event, e.FilesListed))
    return next(listed, ())
