"""The start of a resumed run: its program has ended, but its sandbox still exists."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from typing_extensions import override

from sandbox_tui.core.agent.checkpoint import AgentCheckpoint
from sandbox_tui.core.agent.message_queue import PROGRAM, QueuedMessage
from sandbox_tui.core.agent.model_messages import LOST_COMMAND, lost_processes
from sandbox_tui.core.base.defaults import MIRROR_SIZE
from sandbox_tui.core.base.durations import format_duration
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.notes import HANDED_OVER
from sandbox_tui.core.events.run_state import MIRROR, HumanItem, RunState
from sandbox_tui.core.lineage.recovery import RecoveredRun
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.start import RunStart

_ENDS: Mapping[str, str] = {
    "model_unavailable": "the model was unavailable",
    "disconnected": "the terminal was closed",
}
"""What had happened where a run is resumed, by why it had ended."""


class ResumedStart(RunStart):
    """Continues a run in the sandbox it left behind.

    Args:
        recovered: the state of the run.
        began: when the run started, on the monotonic clock of this host, if another program
            handed it over: its clock runs on. None: the time without a program is left out.
    """

    def __init__(self, recovered: RecoveredRun, began: float | None = None) -> None:
        self._recovered = recovered
        self._is_handover = began is not None
        last = recovered.state.t
        self._elapsed = last if began is None else max(last, time.monotonic() - began)

    @property
    @override
    def state(self) -> RunState:
        return self._recovered.state

    @property
    @override
    def elapsed(self) -> float:
        return self._elapsed

    @property
    @override
    def reattaches(self) -> bool:
        return True

    @property
    @override
    def checkpoint(self) -> AgentCheckpoint:
        return self._recovered.checkpoint

    @property
    @override
    def commands(self) -> Sequence[HumanItem]:
        return self._recovered.commands

    @override
    def restore(self, run: Run) -> None:
        recovered = self._recovered
        run.gate.restore(recovered.mode, recovered.resume_mode, recovered.granted)
        run.queue.restore(self._queued(run.environment.sandbox.outlives))
        run.shells.restore(recovered.shells)
        run.environment.snapshots.restore(recovered.snapshots)
        if recovered.listing is not None:
            run.environment.watcher.restore(recovered.listing)

    @override
    def initial_events(self, run: Run) -> Sequence[e.AnyEvent]:
        sandbox = run.environment.sandbox
        return list(self._reconciliation_events(sandbox.info, outlived=sandbox.outlives))

    @override
    async def prepare(self, run: Run) -> list[dict[str, Any]]:
        recovered, watcher = self._recovered, run.environment.watcher
        what = _ENDS.get(recovered.ended_because or "", "the program ended")
        ended = f"{what} here; resumed after {format_duration(recovered.downtime)}"
        await run.environment.mirror.remark(HANDED_OVER if self._is_handover else ended)
        if not recovered.prepared:
            await run.copy_input()
            await run.set_up(run.spec.setup)
        if recovered.listing is None:
            await watcher.scan_initial()
        else:
            call = recovered.checkpoint.interrupted
            number = None if call is None else call.number
            await watcher.scan(step=recovered.state.step, by="model", call=number)
        return recovered.messages

    @override
    def time_left(self, limit: float | None) -> float | None:
        left = self._recovered.time_left(limit)
        return None if left is None else max(0.0, left - (self._elapsed - self.state.t))

    def _queued(self, outlived: bool) -> list[QueuedMessage]:
        """Return the messages the model reads next. `outlived`: background processes survived."""
        recovered = self._recovered
        if outlived or not recovered.left_running:
            return recovered.message_queue
        text = lost_processes(recovered.left_running)
        return [QueuedMessage(PROGRAM, text, blocks_submit=False), *recovered.message_queue]

    def _reconciliation_events(
        self, sandbox_info: dict[str, str], *, outlived: bool
    ) -> Iterator[e.AnyEvent]:
        """Yield the resumption, and the events that end interrupted work."""
        recovered, state = self._recovered, self._recovered.state
        yield e.RunResumed(
            resumed_at=time.time(),
            away=0.0 if self._is_handover else round(recovered.downtime, 3),
            sandbox_info=dict(sandbox_info),
            lost=tuple(self._lost(outlived=outlived)),
            changed=_changed(recovered.started),
        )
        if state.frozen:
            yield e.SandboxThawed(by="program")
        if MIRROR not in state.terminals:
            yield e.TerminalOpened(terminal=MIRROR, cols=MIRROR_SIZE[0], rows=MIRROR_SIZE[1])
        for terminal in list(state.terminals):
            if terminal != MIRROR:
                yield e.TerminalClosed(terminal=terminal)
        for item in recovered.lost_commands:
            yield e.HumanCommandFinished(
                id=item.id, observation=LOST_COMMAND, exit_code=None, duration=0.0
            )

    def _lost(self, *, outlived: bool) -> Iterator[str]:
        """Yield a sentence for each thing that ended with the program."""
        recovered, state = self._recovered, self._recovered.state
        running = recovered.checkpoint.interrupted
        if running is not None:
            yield f"Call {running.number} was running; it is marked as interrupted."
        for item in recovered.lost_commands:
            yield f"Your command was running; it is marked as interrupted: {item.text[:80]}"
        if recovered.left_running and not outlived:
            commands = "; ".join(command[:80] for command in recovered.left_running)
            yield f"Background processes were ended and the model was told: {commands}"
        reply = state.reply
        if reply is not None and not reply.ended and (reply.text or reply.reasoning):
            yield "A reply was being written; the model is asked again."
        shells = len([name for name in state.terminals if name != MIRROR])
        if shells:
            yield "Your shell was closed." if shells == 1 else f"Your {shells} shells were closed."
        if state.frozen:
            yield "The sandbox was frozen; it is running again, and the run stays paused."


def _changed(started: e.RunStarted) -> tuple[str, ...]:
    """Return a sentence for each unrecorded setting that now comes from the current settings."""
    found: list[str] = []
    if "base_url" in started.model_params:  # otherwise the model has no server
        found.append("The model server's key and timeouts come from the current settings.")
    if started.settings is not None and e.SNAPSHOTS not in started.settings.sandbox:
        found.append(
            "The run does not record when to take snapshots, so the current setting applies."
        )
    return tuple(found)
