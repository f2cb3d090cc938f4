"""A run: an agent working in a sandbox, recorded as events and steered by the user.

    run = Run(spec, model=..., sandbox=..., pack=..., blobs=...)
    async for event in run.events():
        ...

`events` starts the run in the background and ends after `RunFinished`, when the sandbox is closed.
All user controls of a run (`Steering`) may be called at any time, and are recorded.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import msgspec

from sandbox_tui.core.agent.loop import Agent, AgentResult
from sandbox_tui.core.base.blob_store import BlobStore
from sandbox_tui.core.base.defaults import RESUMABLE_SECONDS
from sandbox_tui.core.base.errors import FileRefused, SandboxError, StoreError, sentence_of
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.journal import Journal
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.events.stall_recorder import StallRecorder
from sandbox_tui.core.models.base import Model
from sandbox_tui.core.prompts import PromptPack
from sandbox_tui.core.run.human.unseen_messages import shortened, unseen_sentences
from sandbox_tui.core.run.input_files import write_files
from sandbox_tui.core.run.live_environment import live_environment
from sandbox_tui.core.run.results import Results
from sandbox_tui.core.run.setup_commands import run_setup
from sandbox_tui.core.run.spec import RunSpec
from sandbox_tui.core.run.start import FreshStart, RunStart
from sandbox_tui.core.run.steering import Steering
from sandbox_tui.core.run.time_limit import out_of_time
from sandbox_tui.core.sandboxes.base import Sandbox
from sandbox_tui.core.tools.base import Tool
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS

POLL_SECONDS = 2.0
"""Seconds between scans of the files while a command runs or a shell is in use."""

MAX_CLOSE_SECONDS = 120.0
"""Seconds allowed for closing the sandbox, and for closing the model's connection."""

CANCELLED = "The run was cancelled."
OnFinished = Callable[[ToolEnvironment, AgentResult], Awaitable[None]]
"""Called when the agent has stopped and the results are copied out; then the sandbox is closed."""

T = TypeVar("T")


class Run(Steering):
    """One run of one model in one sandbox.

    Args:
        spec: the run's spec.
        model: the model to ask for replies.
        sandbox: where tools run.
        pack: the prompts.
        blobs: where file contents are stored.
        tools: the tools the model may call.
        start: how the run begins; None for a fresh start.
        owns_sandbox: whether the run starts and closes the sandbox; otherwise it is already
            started.
        owns_model: whether the run closes the model.
        on_finished: inspects the sandbox before it is closed; its exceptions become warnings.

    Attributes:
        state: the fold of all events so far.
        began: when it started, on the monotonic clock of this host.
        durability: how far the run's events are stored.
        left_behind: after the end, a sentence for each part that could not be closed.
    """

    def __init__(
        self,
        spec: RunSpec,
        *,
        model: Model,
        sandbox: Sandbox,
        pack: PromptPack,
        blobs: BlobStore,
        tools: Sequence[Tool] = DEFAULT_TOOLS,
        start: RunStart | None = None,
        owns_sandbox: bool = True,
        owns_model: bool = True,
        on_finished: OnFinished | None = None,
    ) -> None:
        start = start or FreshStart()
        state = start.state
        journal = Journal(first_seq=state.seq + 1, offset=start.elapsed, held=True)
        journal.observers.append(state.apply)
        environment = live_environment(
            spec, sandbox, tools, journal=journal, state=state, root=pack.working_dir, blobs=blobs
        )
        super().__init__(environment, journal, state, spec.policy)
        StallRecorder(journal, state)
        self.spec = spec
        self.model = model
        self.pack = pack
        self.blobs = blobs
        self.began = journal.began
        self.durability = journal.durability
        self.left_behind: list[str] = []
        self._journal = journal
        self._start = start
        self._owns_sandbox = owns_sandbox
        self._owns_model = owns_model
        self._on_finished = on_finished
        self._agent: Agent | None = None
        self._agent_task: asyncio.Task[AgentResult] | None = None
        self._agent_ended = asyncio.Event()
        self._cancelled: AgentResult | None = None
        self._leaves = self._keeps = self._read = self._sandbox_is_up = False
        start.restore(self)

    # --- life cycle

    async def events(self) -> AsyncIterator[e.AnyEvent]:
        """Start the run and yield its events until it is over and the sandbox is closed.

        The first event starts the run; the last is its only `RunFinished`, whatever happens.

        Raises:
            SandboxUnavailable: the run could not start.
            SandboxLost: the sandbox of the run to resume no longer exists; nothing was started.
            RuntimeError: `events` was called before.
        """
        if self._read:
            raise RuntimeError("The events of a run can be read only once.")
        self._read = True
        worker = asyncio.create_task(self._work())
        try:
            async for event in self._journal.read():
                yield event
            await worker
        finally:
            if not worker.done():
                self.cancel("The program stopped watching the run.")
                await asyncio.wait([worker])
            if not worker.cancelled():
                worker.exception()  # already raised, or no reader is left

    async def _work(self) -> None:
        for item in self._start.commands:
            self.commands.restore(item.id, item.text, tell=item.told_to_model)
        async with contextlib.AsyncExitStack() as closing:
            closing.callback(self._journal.close)
            closing.callback(self.commands.stop)
            if self._owns_model:
                closing.push_async_callback(self._close, "model's connection", self.model.close)
            if self._owns_sandbox:
                closing.push_async_callback(self._close, "sandbox", self._close_sandbox)
            await self._open_sandbox()
            self._journal.begin(self._start.initial_events(self))
            result = await self._run_agent()
            self._keeps = result.reason in e.RESUMABLE and self._on_finished is None
            await (self._finish_for_handover() if self._leaves else self._finish(result))

    async def _open_sandbox(self) -> None:
        """Start or reattach the sandbox; a run that is cancelled meanwhile waits for that."""
        sandbox, reattaches = self.environment.sandbox, self._start.reattaches
        try:
            if self._owns_sandbox:
                await (sandbox.reattach() if reattaches else sandbox.start())
            self._sandbox_is_up = True
        except SandboxError:
            if reattaches or self._cancelled is None:
                raise
            self._cancelled = replace(self._cancelled, reason="cancelled")  # nothing to resume in

    async def _run_agent(self) -> AgentResult:
        """Run the agent to its end; any failure becomes a result."""
        if self._cancelled is not None:
            return self._cancelled
        polling = asyncio.create_task(self._poll_files())
        self.environment.sandbox.on_outage(self._warn)
        try:
            self._agent_task = asyncio.create_task(self._prepare_and_run())
            return await self._agent_task
        except asyncio.CancelledError:
            return self._cancelled or AgentResult("cancelled", CANCELLED)
        except (SandboxError, FileRefused) as error:
            return AgentResult("sandbox_error", str(error))
        except StoreError as error:
            return AgentResult("store_error", str(error))
        except Exception as error:  # noqa: BLE001 - every failure must be recorded
            return AgentResult("internal_error", sentence_of(error))
        finally:
            polling.cancel()
            self._agent_ended.set()

    async def _prepare_and_run(self) -> AgentResult:
        messages = await self._start.prepare(self)
        self._agent = agent = Agent(
            model=self.model,
            messages=messages,
            tools=self.environment.tools,
            executor=self.environment,
            limits=self.spec.limits,
            turn_policy=self.spec.turn_policy,
            approver=self.gate,
            queue=self.queue,
            events=self._journal,
            checkpoint=self._start.checkpoint,
            seed=self.spec.seed,
        )
        if self._cancelled:
            return self._cancelled
        limit = self.spec.limits.time_limit
        deadline = asyncio.timeout(self._start.time_left(limit))
        self.phase = Phase.RUNNING
        try:
            async with deadline:
                with self.commands.allowed():
                    self.environment.freezer.attach_deadline(deadline)
                    return await agent.run()
        except TimeoutError:
            if not deadline.expired():
                raise
            return out_of_time(limit, agent, is_scored=self._on_finished is not None)

    async def copy_input(self) -> None:
        """Copy the input into the sandbox, and store the files given as bytes."""
        sandbox, folder = self.environment.sandbox, self.pack.input_dir
        if self.spec.input is not None:
            await sandbox.copy_in(self.spec.input, folder)
        for data in self.spec.files.values():
            await self._store(data)
        await write_files(self.spec.files, sandbox, folder)

    async def set_up(self, commands: Sequence[str]) -> None:
        """Run the commands that prepare the sandbox.

        Raises:
            SandboxError: a command failed.
        """
        await run_setup(commands, self.environment.sandbox)

    async def _store(self, data: bytes) -> None:
        await self.durability.retry_until_durable(lambda: asyncio.to_thread(self.blobs.put, data))

    async def _poll_files(self) -> None:
        """Keep the file tree up to date while a command or the user may change files."""
        while self.spec.watch == "live":
            await asyncio.sleep(POLL_SECONDS)
            running = self.state.running
            if running is None and not self.shells.take_used():
                continue
            by: e.Actor = "human" if running is None else "model"
            number = None if running is None else running.call.number
            await self.environment.watcher.scan(step=self.state.step, by=by, call=number)

    # --- end of the run

    async def _finish(self, result: AgentResult) -> None:
        """Record the results and the end of the run, even if some of these steps fail."""
        self.phase = Phase.FINISHING
        output = None
        try:
            never_run = self.commands.stop()
            if self._sandbox_is_up:
                await self._settle(result)
                files = Results(self.environment.sandbox, self.pack.output_dir)
                answer = await self._attempt(files.answer())
                result = result if answer is None else replace(result, answer=answer)
                output = await self._attempt(files.copy_out(self.spec.output, self._warn))
                if self._on_finished is not None:
                    await self._attempt(self._on_finished(self.environment, result))
            unseen = unseen_sentences(self.queue.drain(), self.state.humans)
            unrun = (f"Your command never ran: {shortened(command)}" for command in never_run)
            for sentence in () if self._keeps else (*unseen, *unrun):  # a resumed run has them
                self._warn(sentence)
        finally:
            seconds = round(self._journal.elapsed, 3)
            self._journal.end(
                e.RunFinished(
                    reason=result.reason,
                    error=result.error,
                    totals=msgspec.structs.replace(self.state.totals, seconds=seconds),
                    answer=result.answer,
                    output=output,
                )
            )
            self.phase = Phase.OVER

    async def _finish_for_handover(self) -> None:
        """Record pending work but not the end of the run, because another program continues it."""
        environment = self.environment
        environment.sandbox.on_outage(None)
        await self._attempt(environment.freezer.thaw_for_the_end())
        self.commands.stop()
        await self._attempt(self.commands.wait_stopped())
        await self._attempt(environment.watcher.flush())
        await self._attempt(environment.snapshots.finish(self.state.step))
        await self._attempt(self.shells.close())
        self.phase = Phase.OVER

    async def _close_sandbox(self) -> None:
        sandbox = self.environment.sandbox
        if not self._keeps:
            await (sandbox.leave() if self._leaves else sandbox.close())

    async def release_sandbox(self) -> None:
        """Let another program resume the run: release the sandbox that was kept for that."""
        if self._keeps:
            self._keeps, sandbox = False, self.environment.sandbox
            await self._close("sandbox", lambda: sandbox.leave(RESUMABLE_SECONDS))

    async def _settle(self, result: AgentResult) -> None:
        """Wait for pending work in the sandbox, and record its results."""
        environment = self.environment
        environment.sandbox.on_outage(None)
        await self._attempt(environment.freezer.thaw_for_the_end())
        await self._attempt(self.commands.wait_stopped())
        await self._attempt(environment.watcher.flush())
        if self._agent is not None or environment.watcher.has_listing:
            lost = result.reason == "sandbox_error"  # already reported in the result
            scan = environment.watcher.scan(step=self.state.step, by="model", quiet=lost)
            await self._attempt(scan)
        await self._attempt(environment.snapshots.finish(self.state.step))
        await self._attempt(self.shells.close())

    async def _attempt(self, work: Awaitable[T]) -> T | None:
        """Return the result of `work`; if it fails, warn and return None, since the run ends
        anyway."""
        try:
            return await work
        except Exception as error:  # noqa: BLE001 - see above
            self._warn(sentence_of(error))
            return None

    async def _close(self, what: str, close: Callable[[], Awaitable[None]]) -> None:
        """Close a part; a failure does not prevent the run or other parts from closing."""
        words = f"The {what} could not be closed"
        try:
            async with asyncio.timeout(MAX_CLOSE_SECONDS):
                await close()
        except TimeoutError:
            self.left_behind.append(f"{words} within {MAX_CLOSE_SECONDS:g} s.")
        except Exception as error:  # noqa: BLE001 - see above
            self.left_behind.append(f"{words}: {sentence_of(error)}")

    def _warn(self, text: str) -> None:
        self._journal.post(e.Warned(text=text))

    # --- interrupting and ending

    async def interrupt(self) -> bool:
        """Interrupt only the running command, like ctrl+c; False if none is running."""
        if self.phase is Phase.STARTING:
            return False
        if self.environment.locks.shell.locked():
            await self.environment.freezer.thaw()
        return await self.environment.sandbox.interrupt()

    def interrupt_reply(self) -> bool:
        """Interrupt the reply that is streaming; the request is repeated."""
        return self._agent is not None and self._agent.interrupt_reply()

    async def leave(self) -> bool:
        """Stop without `RunFinished`, so that another program can resume the run.

        The current reply and call finish first. If this is cancelled, the run continues.

        Returns:
            False if the run ended meanwhile.
        """
        if not (self.steerable and self._owns_sandbox):
            return False
        stopping = asyncio.ensure_future(self.gate.stop_agent())
        ended = asyncio.ensure_future(self._agent_ended.wait())
        try:
            await asyncio.wait([stopping, ended], return_when=asyncio.FIRST_COMPLETED)
            task = self._agent_task
            self._leaves = self.steerable and stopping.done() and task is not None
            if self._leaves and task is not None:
                self.phase = Phase.FINISHING
                task.cancel()
            return self._leaves
        finally:
            stopping.cancel()
            ended.cancel()
            if not self._leaves:
                self.gate.release_agent()

    def cancel(self, because: str = CANCELLED, reason: e.FinishReason = "cancelled") -> None:
        """End the run, even while it is starting; results so far are copied out."""
        if self.phase.steerable:
            self.phase, self._cancelled = Phase.FINISHING, AgentResult(reason, because)
            self.commands.hold()
            self.environment.sandbox.on_outage(None)
        if self._agent_task is not None:
            self._agent_task.cancel()
