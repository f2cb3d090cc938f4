"""A run: the background worker that owns model, sandbox and gate, and yields events.

    run = Run(spec, model=..., sandbox=..., pack=..., blobs=...)
    async for event in run.events():
        ...

`events` starts the worker and ends after `RunFinished`, when the sandbox is gone. Everything a
person may do to a run is a method here, may be called at any moment, and is written as an event.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import msgspec

from . import events as e
from .agent import Agent, Ending, Standing
from .blobs import Blobs
from .errors import FileRefused, SandboxError, SandboxTuiError, StoreError
from .forking import Fork
from .freezing import Freezer
from .gate import Decision, Gate, Waiting, as_message
from .headline import headline, nickname
from .human_files import HumanFiles
from .injected import Injected
from .input_watch import InputWatch
from .journal import Journal
from .models.base import Model
from .past import Past
from .prompts import PromptPack
from .recorded import recorded_settings
from .repeating import Bench
from .results import Results
from .run_spec import RunSpec
from .sandboxes.base import Sandbox, Size, Stream
from .shells import Shells, may_be_secret, starred
from .snapshots import Snapshots
from .state import MIRROR, RunState
from .steered import Steered
from .terminal.console import Console
from .tools.base import Observation, Tool, ToolContext
from .tools.registry import DEFAULT_TOOLS, command_docs
from .waits import Waits
from .watcher import Watcher

LOOK_EVERY = 2.0
"""Seconds between looks at the files while a command is running or a shell is open."""

LEAST_SIZE = (40, 10)
"""Columns and rows that a command's terminal has at least, however small the mirror."""


class Run(Steered):
    """One run of one model in one sandbox.

    Attributes:
        spec: what was asked.
        state: the fold of all events so far.
        gate: where a person decides.
        files: a person's hands on the sandbox's files.
        keeping: how far its events are kept, and what stands in the way.
    """

    def __init__(
        self,
        spec: RunSpec,
        *,
        model: Model,
        sandbox: Sandbox,
        pack: PromptPack,
        blobs: Blobs,
        tools: Sequence[Tool] = DEFAULT_TOOLS,
        past: Past | None = None,
        fork: Fork | None = None,
    ) -> None:
        self.spec = spec
        self.state = RunState() if past is None else past.state
        self._past = past
        self._fork = fork
        self._model = model
        self._sandbox = sandbox
        self._pack = pack
        self._tools = tools
        self._blobs = blobs
        self._journal = Journal(first_seq=self.state.seq + 1, offset=self.state.t)
        self._journal.observers.append(self.state.apply)
        self.keeping = self._journal.keeping
        Waits(self._journal, self.state)
        self.gate = Gate(self._journal.post, spec.policy)
        self._console = Console()
        self._files_turn = asyncio.Lock()
        self._watcher = Watcher(
            sandbox, pack.working_dir, blobs, self._journal.post, self._files_turn, self.keeping
        )
        self._freezer = Freezer(sandbox, self._files_turn, self._journal.post)
        self._shells = Shells(sandbox, self._journal)
        self._turn = asyncio.Lock()
        self._snapshots = Snapshots(
            sandbox,
            spec.snapshots,
            post=self._journal.post,
            turn=self._turn,
            files=self._files_turn,
            settled=self._watcher.settled,
        )
        self._journal.observers.append(self._snapshots.see)
        self._human_ids = max(self.state.humans, default=0)
        self.files = HumanFiles(
            sandbox,
            self._watcher,
            self._journal,
            self.gate,
            self.state,
            next_id=self._next_human_id,
            alive=self._reachable,
        )
        self._injected = Injected(
            turn=self._turn,
            ready=self._freezer.thawed,
            carry=self._carry_injected,
            post=self._journal.post,
            tell=self._tell_of_command,
        )
        self._agent: Agent | None = None
        self._agent_task: asyncio.Task[Ending] | None = None
        self._cancelled_because: str | None = None

    # --- the worker

    async def events(self) -> AsyncIterator[e.AnyEvent]:
        """Start the run and yield its events; ends when it is over and the sandbox is gone.

        Raises:
            SandboxUnavailable: nothing was begun.
            SandboxLost: the sandbox of a run that was to be taken up is gone; nothing was begun.
        """
        try:
            begins = self._past is None or self._fork is not None
            await (self._sandbox.start() if begins else self._sandbox.adopt())
        except BaseException:
            await self._sandbox.close()
            raise
        worker = asyncio.create_task(self._work())
        try:
            async for event in self._journal.read():
                yield event
            await worker
        finally:
            if not worker.done():
                self.cancel("The program stopped watching the run.")
                await asyncio.wait([worker])

    async def _work(self) -> None:
        try:
            ending = await self._begin_and_run()
            await self._finish(ending)
        finally:
            with contextlib.suppress(SandboxError):
                await self._sandbox.close()
            await self._model.close()
            self._journal.close()

    async def _begin_and_run(self) -> Ending:
        watch = asyncio.create_task(self._look_now_and_then())
        self._sandbox.say_what_is_waited_for(self._warn)
        try:
            self._agent_task = asyncio.create_task(self._agent_life())
            if self._cancelled_because is not None:
                self._agent_task.cancel()
            return await self._agent_task
        except asyncio.CancelledError:
            return Ending("cancelled", self._cancelled_because or "The run was cancelled.")
        except (SandboxError, FileRefused) as error:
            return Ending("sandbox_error", str(error))
        except StoreError as error:
            return Ending("store_error", str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, it must end up in the record
            return Ending("internal_error", f"This is a defect of sandbox-tui: {error!r}.")
        finally:
            watch.cancel()

    async def _agent_life(self) -> Ending:
        past, fork = self._past, self._fork
        if past is None:
            await self._begin()
        else:
            await (self._take_up(past) if fork is None else self._set_out(past, fork))
        self._agent = Agent(
            model=self._model,
            tools=self._tools,
            messages=self._opening() if past is None else past.messages,
            limits=self.spec.limits,
            gate=self.gate,
            journal=self._journal,
            workbench=self,
            standing=_standing(past, fork),
        )
        limit = self.spec.limits.time_limit
        clock = asyncio.timeout(limit if past is None or fork else past.time_left(limit))
        try:
            async with clock:
                self._freezer.holds_up(clock)
                return await self._agent.run()
        except TimeoutError:
            if not clock.expired():
                raise
            return Ending("time_limit", f"The run reached its limit of {limit:g} s.")

    async def _begin(self) -> None:
        self._post_started()
        columns, rows = self.spec.mirror_size
        self._journal.post(e.TerminalOpened(terminal=MIRROR, cols=columns, rows=rows))
        await self._first_look()
        if self.spec.mode != "auto":
            self.gate.set_mode(self.spec.mode)

    async def _first_look(self) -> None:
        if self.spec.input is not None:
            await self._sandbox.copy_in(self.spec.input, self._pack.input_dir)
        await self._watcher.begin()

    async def _take_up(self, past: Past) -> None:
        """Stand where the program before stood; what it could not say any more is said now."""
        self.gate.take_up(past.mode, past.going, past.granted)
        self._shells.take_up(past.shells)
        for event in list(past.closing(self._sandbox.info)):
            self._journal.post(event)
        await self._journal.output(MIRROR, self._console.remark(past.remark))
        if past.listing is None:
            await self._first_look()
        else:
            self._watcher.take_up(past.listing)
            call = past.standing.interrupted
            await self._watcher.look(
                step=self.state.step, by="model", call=None if call is None else call.number
            )
        self.gate.outbox += past.outbox
        for item in past.commands:
            self._injected.take_up(item.id, item.text, tell=item.told_to_model)

    async def _set_out(self, past: Past, fork: Fork) -> None:
        """Stand where the parent stood, in a sandbox brought to that moment."""
        self.gate.take_up(past.mode, past.going, past.granted)
        self._shells.take_up(past.shells)
        for event in fork.opening(self._sandbox.info, self._model.name):
            self._journal.post(event)
        await self._journal.output(MIRROR, self._console.remark(fork.remark))
        await fork.bring_about(self._bench(), self._pack.working_dir)
        if self.spec.input is not None:
            await self._sandbox.copy_in(self.spec.input, self._pack.input_dir)
        await self._watcher.settle_in(self.state.files, step=self.state.step)
        self.gate.outbox += fork.outbox
        if fork.message:
            self.message(fork.message)
        if fork.edited is not None:
            edit = Decision(verdict="edit", by="human", arguments=fork.edited)
            self.gate.decide_next(edit)
        self.gate.set_mode(self.spec.mode)

    def _bench(self) -> Bench:
        return Bench(
            sandbox=self._sandbox,
            tools=self._tools,
            context=lambda limit: replace(self._tool_context(None), command_timeout=limit),
            command_timeout=self.spec.limits.command_timeout,
            blobs=self._blobs,
            post=self._journal.post,
        )

    def _opening(self) -> list[dict[str, Any]]:
        return [
            {"role": "system", "content": self._pack.system(command_docs())},
            {"role": "user", "content": self._pack.instance(self.spec.task)},
        ]

    def _post_started(self) -> None:
        system, instance = (message["content"] for message in self._opening())
        self._journal.post(
            e.RunStarted(
                schema=e.SCHEMA_VERSION,
                run_id=self.spec.run_id,
                started_at=time.time(),
                task=self.spec.task,
                model=self._model.name,
                model_params=self._model.params,
                sandbox=self._sandbox.kind,
                sandbox_info=dict(self._sandbox.info),
                prompt_pack=self._pack.name,
                system_prompt=system,
                instance_prompt=instance,
                working_dir=self._pack.working_dir,
                input_dir=self._pack.input_dir,
                output_dir=self._pack.output_dir,
                limits=self.spec.limits,
                settings=recorded_settings(self.spec, self._sandbox.spec),
            )
        )

    async def _finish(self, ending: Ending) -> None:
        self._sandbox.say_what_is_waited_for(None)
        await self._freezer.thaw_for_the_end()
        never_run = self._injected.stop()
        with contextlib.suppress(SandboxError):
            await self._watcher.settled()
            await self._watcher.look(step=self.state.step, by="model")
        await self._snapshots.finish(self.state.step)
        await self._shells.close()
        results = Results(self._sandbox, self._pack.output_dir)
        answer = await results.answer()
        output = await results.hand_over(self.spec.output, self._warn)
        for waiting in self.gate.take_outbox():
            self._warn(f"The model never saw: {waiting.text[:200]}")
        for command in never_run:
            self._warn(f"Your command never ran: {command[:200]}")
        totals = msgspec.structs.replace(self.state.totals, seconds=round(self._journal.elapsed, 3))
        self._journal.post(
            e.RunFinished(
                reason=ending.reason,
                error=ending.error,
                totals=totals,
                answer=answer,
                output=output,
            )
        )

    def _warn(self, text: str) -> None:
        self._journal.post(e.Warned(text=text))

    async def _look_now_and_then(self) -> None:
        """Keep the file tree live while something may be changing it."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            running = self.state.running
            if running is None and not self._shells.used_since_last_look():
                continue
            by: e.Actor = "human" if running is None else "model"
            number = None if running is None else running.call.number
            with contextlib.suppress(SandboxTuiError):
                await self._watcher.look(step=self.state.step, by=by, call=number)

    # --- calls (the agent's Workbench)

    async def use(self, tool: Tool, arguments: dict[str, Any], call: e.ToolCall) -> Observation:
        """Carry out one call, mirrored on the terminal; see `agent.Workbench`.

        It waits while the sandbox is frozen.
        """
        await self._freezer.thawed()
        async with self._turn:
            await self._watcher.settled()
            shown = arguments.get("command") if tool.name == "execute_bash" else None
            if not isinstance(shown, str):
                shown = f"{nickname(tool.name)} {headline(tool.name, call.arguments)}"
            observation = await self._mirrored(tool, arguments, "model", shown)
            self._watcher.look_later(step=call.step, by="model", call=call.number)
            return observation

    async def _mirrored(
        self, tool: Tool, arguments: dict[str, Any], who: Literal["model", "you"], shown: str
    ) -> Observation:
        await self._journal.output(MIRROR, self._console.prompt(who, shown))

        watch = InputWatch(self._sandbox, self._journal, answerable=self.spec.tty)

        async def sink(stream: Stream, data: bytes) -> None:
            watch.heard()
            await self._journal.output(MIRROR, self._console.output(stream, data))

        began = time.monotonic()
        async with watch:
            if tool.name == "execute_bash":
                observation = await tool(arguments, self._tool_context(sink))
            else:  # several file operations in a row are not to be frozen halfway
                async with self._files_turn:
                    observation = await tool(arguments, self._tool_context(sink))
        closing = self._console.finished(
            exit_code=observation.exit_code,
            duration=time.monotonic() - began,
            timed_out=observation.timed_out,
            interrupted=observation.interrupted,
        )
        await self._journal.output(MIRROR, closing)
        return observation

    def _tool_context(self, sink: Any) -> ToolContext:
        return ToolContext(
            sandbox=self._sandbox,
            command_timeout=self.spec.limits.command_timeout,
            on_output=sink,
            max_lines=self.spec.max_lines,
            max_chars=self.spec.max_chars,
            tty=self._tty_size() if self.spec.tty else None,
        )

    def _tty_size(self) -> Size:
        """The mirror's size, as far as programs can live with it."""
        columns, rows = self.state.terminals.get(MIRROR, self.spec.mirror_size)
        return max(LEAST_SIZE[0], columns), max(LEAST_SIZE[1], rows)

    # --- what a person may do

    @property
    def over(self) -> bool:
        """Whether the agent has stopped."""
        return self._agent_task is not None and self._agent_task.done()

    @property
    def steerable(self) -> bool:
        """Whether the run can still be steered: it is not over, and was not told to end."""
        return not self.over and self._cancelled_because is None

    def message(self, text: str) -> int:
        """Say something to the model; it reads it before its next reply. Returns its id."""
        self._alive()
        item = self._next_human_id()
        self._journal.post(e.HumanMessage(id=item, text=text))
        self.gate.outbox.append(Waiting(item, as_message(text), holds_submit=True))
        return item

    def inject(self, command: str, *, tell: bool = True) -> int:
        """Run a command in the model's own shell state, after the one that is running.

        Args:
            command: for bash.
            tell: whether the model is told of command and output with its next turn.

        Returns:
            The id its events carry.
        """
        self._alive()
        item = self._next_human_id()
        self._injected.add(item, command, tell=tell)
        return item

    def reword(self, item: int, text: str) -> bool:
        """Change a waiting message, or a command that has not begun; False when it is too late."""
        waits = item in self.state.humans and self.state.humans[item].may_change
        if not waits or not (
            self._injected.reword(item, text) or self.gate.reword(item, as_message(text))
        ):
            return False
        self._journal.post(e.Reworded(id=item, text=text))
        return True

    def withdraw(self, item: int) -> bool:
        """Take back a message, a command, or the telling of its output; False when too late."""
        if not (self._injected.withdraw(item) or self.gate.withdraw(item)):
            return False
        self._journal.post(e.Withdrawn(id=item))
        return True

    async def _carry_injected(self, command: str) -> Observation:
        bash = next(tool for tool in self._tools if tool.name == "execute_bash")
        try:
            await self._watcher.settled()
            await self._journal.kept()
            observation = await self._mirrored(bash, {"command": command}, "you", command)
        except SandboxError as error:
            self._warn(str(error))
            return Observation(text=str(error), ok=False)
        self._watcher.look_later(step=self.state.step, by="human")
        return observation

    def _tell_of_command(self, item: int, words: str) -> None:
        self.gate.outbox.append(Waiting(item, words, holds_submit=False))

    async def interrupt(self) -> bool:
        """End the running command alone (as ctrl+c would); False when none is running."""
        if self._turn.locked():
            await self._freezer.thaw()
        return await self._sandbox.interrupt()

    def interrupt_reply(self) -> bool:
        """Break off the reply that is streaming in; the model is asked again."""
        return self._agent is not None and self._agent.interrupt_reply()

    def cancel(self, because: str = "The run was cancelled.") -> None:
        """End the run; results so far are kept and copied out."""
        if self._cancelled_because is None:
            self._cancelled_because = because
            self._sandbox.say_what_is_waited_for(None)
        if self._agent_task is not None:
            self._agent_task.cancel()

    # --- shells

    async def open_shell(self, columns: int, rows: int) -> str:
        """Open a shell on a terminal of its own; returns the terminal's name."""
        self._reachable()
        return await self._shells.open(columns, rows)

    async def type(self, terminal: str, data: bytes) -> None:
        """Type into a shell, or in tty mode into the terminal of the running command."""
        if terminal != MIRROR:
            self._shells.type(terminal, data)
            return
        with contextlib.suppress(SandboxTuiError):
            reader = await self._sandbox.terminal_reader()
            if await self._sandbox.type(data):
                # what nobody reads yet may be meant for a prompt that hides it
                hidden = may_be_secret(data) and (reader is None or reader.hidden)
                shown = starred(data) if hidden else data
                self._journal.post(e.TerminalInput(terminal=MIRROR, data=shown, hidden=hidden))

    async def close_shell(self, terminal: str) -> None:
        """End a shell."""
        await self._shells.end(terminal)

    async def resize(self, terminal: str, columns: int, rows: int) -> None:
        """Give a terminal another size."""
        if terminal == MIRROR:
            if not self.over:
                self._journal.post(e.TerminalResized(terminal=MIRROR, cols=columns, rows=rows))
        else:
            await self._shells.resize(terminal, columns, rows)

    def _next_human_id(self) -> int:
        self._human_ids += 1
        return self._human_ids

    def _reachable(self) -> None:
        self._alive()
        if self.frozen:
            raise FileRefused("The sandbox is frozen: let it go on first.")


def _standing(past: Past | None, fork: Fork | None) -> Standing | None:
    if past is None:
        return None
    return past.standing if fork is None else fork.standing
