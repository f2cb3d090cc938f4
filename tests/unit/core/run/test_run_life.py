"""Whatever happens and whenever: a run starts once, ends once and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from sandbox_tui.core.base.errors import (
    FileRefused,
    ModelError,
    SandboxError,
    SandboxLost,
    SandboxTuiError,
    SandboxUnavailable,
    StoreError,
)
from sandbox_tui.core.base.tool_names import BUILT_IN
from sandbox_tui.core.environment.freezer import Freezer
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.lineage.recovery import recover
from sandbox_tui.core.lineage.resumed_start import ResumedStart
from sandbox_tui.core.models.base import Delta, RawToolCall, Reply, Request
from sandbox_tui.core.policy import rules as policy
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.run.human import user_shells as shells
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.spec import RunSpec
from sandbox_tui.core.sandboxes.base import ExecResult, FileEntry, Listing, Shell
from sandbox_tui.core.tools.base import Observation, Tool, ToolContext
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS
from tests.examples import TIMES
from tests.fakes import FakeSandbox

SEEDS = 150 * TIMES
POINTS = 60
"""Roughly how many times a run of this model awaits its sandbox, its model or its store."""

FAULTS: tuple[Callable[[], Exception], ...] = (
    lambda: SandboxLost("it is gone"),
    lambda: SandboxError("it failed"),
    lambda: FileRefused("not this file"),
    lambda: OSError(24, "too many open files"),
    lambda: RuntimeError("a defect"),
)

Point = Callable[[str], Any]


class Points:
    """Called wherever a run waits for something, to run a planned action there.

    Attributes:
        plan: what to call at a waiting point, by its number.
        passed: number of waiting points so far.
        at: name of the last one.
    """

    def __init__(self, plan: dict[int, Callable[[str], None]] | None = None) -> None:
        self.plan = plan or {}
        self.passed = 0
        self.at = ""

    async def __call__(self, where: str) -> None:
        number, self.passed, self.at = self.passed, self.passed + 1, where
        await asyncio.sleep(0)
        if number in self.plan:
            self.plan[number](where)
            await asyncio.sleep(0)


class AShell:
    """A shell that prints a prompt and waits until it is closed."""

    def __init__(self, point: Points) -> None:
        self._point = point
        self._closed = asyncio.Event()

    async def output(self) -> AsyncIterator[bytes]:
        yield b"$ "
        await self._closed.wait()
        await self._point("last words")
        yield b"bye\n"

    async def write(self, data: bytes) -> None:
        await self._point("shell write")

    async def resize(self, columns: int, rows: int) -> None:
        await self._point("shell resize")

    async def hides_input(self) -> bool:
        await self._point("shell hides")
        return False

    async def close(self) -> int | None:
        self._closed.set()
        await self._point("shell close")
        return 0


class Brittle(FakeSandbox):
    """A sandbox that may fail, or trigger an action, at any of its operations.

    Attributes:
        there: whether anything of it is left on the machine.
    """

    def __init__(self, point: Points) -> None:
        super().__init__({"/testbed/output/answer.txt": b"42"})
        self.point = point
        self.there = False
        self.frozen = False

    async def start(self) -> None:
        self.there = True
        await self.point("start")

    async def reattach(self) -> None:
        self.there = True
        await self.point("reattach")

    async def exec(self, command: str, **more: Any) -> ExecResult:
        await self.point("exec")
        self.files[f"/testbed/{len(self.commands)}".encode()] = b"made"
        ended = await super().exec(command, **more)
        await self.point("exec ends")
        return ended

    async def interrupt(self) -> bool:
        await self.point("interrupt")
        return True

    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        await self.point("read")
        return await super().read_file(path, max_bytes=max_bytes)

    async def write_file(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        await self.point("write")
        await super().write_file(path, data, exclusive=exclusive)

    async def stat(self, path: str) -> FileEntry | None:
        await self.point("stat")
        return await super().stat(path)

    async def list_files(self, path: str, *, limit: int = 20_000) -> Listing:
        if self.frozen:
            raise FileRefused("The sandbox is frozen: resume it first.")
        await self.point("list")
        return await super().list_files(path, limit=limit)

    async def open_shell(self, cols: int, rows: int) -> Shell:
        await self.point("open shell")
        return cast(Shell, AShell(self.point))

    async def copy_out(self, path: str, target: Path) -> list[str]:
        await self.point("copy out")
        return []

    async def freeze(self) -> None:
        await self.point("freeze")
        self.frozen = True

    async def thaw(self) -> None:
        await self.point("thaw")
        self.frozen = False

    async def close(self) -> None:
        self.there = False
        await self.point("close sandbox")


class Talker:
    """A model that makes a few calls and then submits."""

    name = "talker"
    params: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, point: Points) -> None:
        self.point = point
        self.open = True

    async def prepare(self) -> None:
        await self.point("prepare model")

    async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        turn = sum(message["role"] == "assistant" for message in request.messages)
        await self.point("ask")
        yield Delta("text", "well")
        await self.point("reply")
        bash = RawToolCall(id=f"a{turn}", name="execute_bash", arguments='{"command": "make it"}')
        odd = RawToolCall(id=f"b{turn}", name="execute_bash", arguments="{not json")
        last = RawToolCall(id=f"c{turn}", name="submit", arguments="{}")
        calls = ((bash,), (odd, bash), (), (bash, last))[min(turn, 3)]
        message: dict[str, Any] = {"role": "assistant", "content": "well"}
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": "{}"},
                }
                for call in calls
            ]
        yield Reply(message=message, text="well", calls=calls, finish_reason="tool_calls")

    async def close(self) -> None:
        self.open = False
        await self.point("close model")


class Keeps:
    """A blob store that can run out of space."""

    def __init__(self) -> None:
        self.full = False

    def put(self, data: bytes) -> str:
        if self.full:
            raise StoreError("no room")
        return "x"

    def get(self, name: str) -> bytes | None:
        return None


def resumed(before: list[e.AnyEvent]) -> ResumedStart | None:
    """A start that resumes after these events; None if there are none."""
    recovered = recover(before)
    return None if recovered is None else ResumedStart(recovered)


class Played:
    """One run and everything that it is made of."""

    def __init__(
        self,
        *,
        mode: e.Mode = "auto",
        before: list[e.AnyEvent] | None = None,
        tools: Sequence[Tool] = DEFAULT_TOOLS,
        **limits: Any,
    ) -> None:
        self.point = Points()
        self.sandbox = Brittle(self.point)
        self.model = Talker(self.point)
        self.blobs = Keeps()
        self.seen: list[e.AnyEvent] = []
        self.failure: BaseException | None = None
        self.first_of = before or []
        self.run = Run(
            RunSpec(
                run_id="r", task="x", mode=mode, output=Path("/nowhere"), limits=e.Limits(**limits)
            ),
            model=self.model,
            sandbox=self.sandbox,
            pack=load_pack("general"),
            blobs=self.blobs,
            start=resumed(before or []),
            tools=tools,
        )

    async def play(self, stop_reading_after: int | None = None) -> None:
        """Play the run to its end; only a run that hangs reaches the time limit.

        Args:
            stop_reading_after: number of events after which the reader leaves; None to read to the end.
        """
        async with asyncio.timeout(30):
            stream = cast("AsyncGenerator[e.AnyEvent]", self.run.events())
            async with contextlib.aclosing(stream):
                try:
                    async for event in stream:
                        self.seen.append(event)
                        if len(self.seen) == stop_reading_after:
                            break
                except Exception as error:
                    self.failure = error

    def is_in_order(self, *, left: bool = False) -> None:
        """Check that it started once, ended once and left nothing behind.

        Args:
            left: whether the reader left before the end.
        """
        assert not self.sandbox.there
        assert not self.model.open
        if self.failure is not None:  # the run never started
            assert isinstance(self.failure, Exception)
            assert self.seen == []
            assert self.run.phase in (Phase.STARTING, Phase.FINISHING)
            return
        assert self.run.phase is Phase.OVER
        start = len(self.first_of) + 1
        assert [x.seq for x in self.seen] == list(range(start, start + len(self.seen)))
        begins = e.RunResumed if self.first_of else e.RunStarted
        assert isinstance(self.seen[0], begins)
        if left:
            return
        ends = [event for event in self.seen if isinstance(event, e.RunFinished)]
        assert len(ends) == 1
        assert ends[0] is self.seen[-1]
        state = fold([*self.first_of, *self.seen])
        assert all(a.t <= b.t for a, b in itertools.pairwise(self.seen))
        for item in state.calls.values():
            if any(
                isinstance(x, e.CallStarted) and x.call == item.call.number for x in self.first_of
            ):
                continue  # lost with the earlier program
            assert item.started_at is None or item.finished is not None
        for human in state.humans.values():
            assert not human.started or human.finished is not None
        assert set(state.terminals) <= {"model"}
        assert not state.frozen


async def nothing_goes_on() -> None:
    """Check that no task is left except the test's."""
    for _ in range(20):
        await asyncio.sleep(0)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, left


# --- what the user may do at any time


def presses(run: Run, draw: random.Random, tasks: set[asyncio.Task[Any]]) -> None:
    """Perform one random action out of everything that the user may do."""

    def later(work: Callable[..., Any], *args: Any, **more: Any) -> None:
        async def quietly() -> None:
            with contextlib.suppress(SandboxTuiError, OSError, RuntimeError):
                await work(*args, **more)

        tasks.add(asyncio.ensure_future(quietly()))

    number = run.state.pending.call.number if run.state.pending else 1
    keys: list[Callable[[], Any]] = [
        lambda: run.cancel("A person ended it."),
        lambda: run.set_mode(draw.choice(("auto", "ask", "step", "paused"))),
        run.pause,
        run.resume,
        run.step,
        lambda: later(run.freeze),
        lambda: later(run.thaw),
        lambda: run.message("a word"),
        lambda: run.inject("echo hi", tell=draw.random() < 0.5),
        lambda: run.reword(1, "other words"),
        lambda: run.withdraw(draw.randint(1, 3)),
        lambda: later(run.interrupt),
        run.interrupt_reply,
        lambda: later(run.open_shell, 80, 24),
        lambda: later(run.type, "shell", b"ls\n"),
        lambda: later(run.type, "model", b"y\n"),
        lambda: later(run.close_shell, "shell"),
        lambda: later(run.resize, "model", 90, 20),
        lambda: run.approve(number),
        lambda: run.edit(number, '{"command": "other"}'),
        lambda: run.reject(number, "no"),
        lambda: run.answer(number, "so"),
        lambda: run.skip(number),
        lambda: run.approve_always(number, ["make *"]),
        lambda: later(run.files.save, "/testbed/f", b"x", opened=None),
        lambda: later(run.files.read, "/testbed/f", max_bytes=10),
        lambda: later(run.files.push, Path("/nowhere/f"), "/testbed"),
    ]
    with contextlib.suppress(SandboxTuiError):
        draw.choice(keys)()


@pytest.mark.parametrize("again", [False, True], ids=["new", "resumed"])
async def test_any_keys_and_failures_at_any_moment(again: bool) -> None:
    before: list[e.AnyEvent] = []
    if again:
        whole = Played()
        await whole.play()
        cut = next(n for n, x in enumerate(whole.seen) if isinstance(x, e.CallStarted))
        before = whole.seen[: cut + 1]
    for seed in range(SEEDS):
        draw = random.Random(seed)
        played = Played(mode=draw.choice(("auto", "auto", "step", "ask")), before=before)
        run, tasks = played.run, set[asyncio.Task[Any]]()

        def fail(where: str, draw: random.Random = draw) -> None:
            if where == "ask":
                raise ModelError("it does not like that")
            raise draw.choice(FAULTS)()

        for _ in range(draw.choice((0, 0, 1, 2))):
            played.point.plan[draw.randrange(POINTS)] = fail
        for _ in range(draw.choice((0, 2, 6))):
            press = lambda where, run=run, draw=draw, tasks=tasks: presses(run, draw, tasks)  # noqa: E731
            played.point.plan[draw.randrange(POINTS)] = press
        played.blobs.full = draw.random() < 0.1

        async def person(
            run: Run = run, draw: random.Random = draw, tasks: set[asyncio.Task[Any]] = tasks
        ) -> None:
            """Act between the waiting points too, and let the run end in time."""
            for _ in range(draw.choice((0, 10, 40))):
                for _ in range(draw.randrange(12)):
                    await asyncio.sleep(0)
                presses(run, draw, tasks)
            while run.phase is not Phase.OVER:
                for _ in range(50):
                    await asyncio.sleep(0.0005 if run.phase is Phase.FINISHING else 0)
                with contextlib.suppress(SandboxTuiError):
                    run.set_mode("auto")
                    if run.state.pending is not None:
                        run.approve(run.state.pending.call.number)

        pressing = asyncio.create_task(person())
        leaves = draw.randrange(40) if draw.random() < 0.15 else None
        try:
            await played.play(leaves)
        except TimeoutError:
            raise AssertionError(f"seed {seed} hangs: {played.point.at}, {run.phase}") from None
        pressing.cancel()
        for task in [*tasks, pressing]:
            task.cancel()
        await asyncio.wait([*tasks, pressing])
        try:
            played.is_in_order(left=leaves is not None)
            await nothing_goes_on()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


async def test_ended_at_each_of_its_moments() -> None:
    whole = Played()
    await whole.play()
    assert whole.point.passed > 20
    reasons: list[str] = []
    for number in range(whole.point.passed):
        played = Played()
        played.point.plan[number] = lambda where, run=played.run: run.cancel("Enough.")
        await played.play()
        played.is_in_order()
        end = played.seen[-1]
        assert isinstance(end, e.RunFinished)
        reasons.append(end.reason)
        await nothing_goes_on()
    assert reasons[0] == "cancelled", "while its sandbox starts"
    assert reasons[-1] == "submitted", "when it had ended by itself"


@pytest.mark.parametrize("fault", FAULTS)
async def test_something_fails_at_each_of_its_moments(fault: Callable[[], Exception]) -> None:
    whole = Played()
    await whole.play()
    for number in range(whole.point.passed):
        played = Played()

        def fail(where: str) -> None:
            raise fault()

        played.point.plan[number] = fail
        await played.play()
        played.is_in_order()
        await nothing_goes_on()


# --- while it starts


async def test_keys_pressed_while_it_starts_apply_from_its_first_step() -> None:
    played = Played()

    def press(where: str) -> None:
        assert where == "start"
        assert played.run.phase is Phase.STARTING
        played.run.set_mode("step")
        played.run.message("mind the gap")
        played.run.inject("echo early")

    played.point.plan[0] = press
    held: list[int] = []

    async def approve() -> None:
        while played.run.phase is not Phase.OVER:
            await asyncio.sleep(0)
            pending = played.run.state.pending
            if pending is not None and played.run.approve(pending.call.number):
                held.append(pending.call.number)

    approving = asyncio.create_task(approve())
    await played.play()
    await approving
    played.is_in_order()
    assert held[:2] == [1, 3], "each call waited but the one that could not be read"
    state = fold(played.seen)
    assert state.humans[1].delivered
    assert state.humans[2].finished is not None
    asked = next(event.seq for event in played.seen if isinstance(event, e.ModelAsked))
    said = next(event.seq for event in played.seen if isinstance(event, e.Delivered))
    assert said < asked
    assert next(x for x in played.seen if isinstance(x, e.ModeChanged)).mode == "step"


async def test_a_person_who_pauses_while_it_starts_is_not_overruled_by_the_runs_own_mode() -> None:
    played = Played(mode="ask")
    played.point.plan[0] = lambda where: played.run.pause()

    async def go_on() -> None:
        while not any(isinstance(event, e.FilesListed) for event in played.seen):
            await asyncio.sleep(0)
        for _ in range(50):
            await asyncio.sleep(0)
        assert played.run.gate.mode == "paused"
        assert not any(isinstance(event, e.ModelAsked) for event in played.seen)
        played.run.cancel()

    going = asyncio.create_task(go_on())
    await played.play()
    await going
    played.is_in_order()


async def test_actions_that_need_the_sandbox_say_that_it_is_starting() -> None:
    played = Played()
    run, errors = played.run, list[str]()

    async def refused(work: Any) -> None:
        try:
            await work
        except SandboxTuiError as error:
            errors.append(str(error))

    tasks: list[asyncio.Task[None]] = []

    def press(where: str) -> None:
        works = (
            run.freeze(),
            run.open_shell(80, 24),
            run.files.read("/testbed/f", max_bytes=1),
            run.files.save("/testbed/f", b"x", opened=None),
        )
        tasks.extend(asyncio.ensure_future(refused(work)) for work in works)

    played.point.plan[0] = press
    await played.play()
    await asyncio.wait(tasks)
    assert errors == ["The run is still starting: try again when its sandbox is ready."] * 4
    assert not run.frozen
    played.is_in_order()


async def test_a_failed_sandbox_start_starts_no_run() -> None:
    played = Played()

    def fail(where: str) -> None:
        played.run.message("too early")
        raise SandboxUnavailable("not here")

    played.point.plan[0] = fail
    await played.play()
    assert isinstance(played.failure, SandboxUnavailable)
    played.is_in_order()
    await nothing_goes_on()


async def test_the_model_is_loaded_before_its_first_step_begins() -> None:
    played = Played()
    steps: list[int] = []

    def look(where: str) -> None:
        if where == "prepare model":
            steps.append(played.run.state.step)

    for number in range(POINTS):
        played.point.plan[number] = look
    await played.play()
    assert steps[0] == 0
    played.is_in_order()


async def test_the_events_can_be_read_once() -> None:
    played = Played()
    await played.play()
    with pytest.raises(RuntimeError, match="once"):
        await anext(aiter(played.run.events()))
    assert played.sandbox.commands
    played.is_in_order()


# --- failures


async def test_a_failed_cleanup_is_reported_and_blocks_nothing() -> None:
    played = Played()

    def fail(where: str) -> None:
        raise RuntimeError(where)

    whole = Played()
    await whole.play()
    for number in range(whole.point.passed - 2, whole.point.passed):
        played.point.plan[number] = fail
    await played.play()
    played.is_in_order()
    assert len(played.run.left_behind) == 2
    assert "sandbox" in played.run.left_behind[0]


async def test_a_file_that_changed_during_a_cancelled_scan_is_recorded() -> None:
    whole = Played()
    await whole.play()
    for number in range(whole.point.passed):
        played = Played()
        played.point.plan[number] = lambda where, run=played.run: run.cancel("Enough.")
        await played.play()
        there = {x.decode() for x in played.sandbox.files}
        known = {path for path, file in fold(played.seen).files.items() if file.last.kind == "file"}
        if not any(isinstance(event, e.FilesListed) for event in played.seen):
            assert not played.sandbox.commands
            continue
        assert known == there, f"ended at moment {number}"


async def test_a_failed_file_scan_is_reported_once_and_affects_no_call() -> None:
    played = Played()
    listed = 0

    async def list_files(path: str, *, limit: int = 20_000) -> Listing:
        nonlocal listed
        listed += 1
        if listed in (1, 2, 3):
            raise SandboxLost("The sandbox stopped answering.")
        return await FakeSandbox.list_files(played.sandbox, path, limit=limit)

    played.sandbox.list_files = list_files
    await played.play()
    played.is_in_order()
    end = played.seen[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "submitted"
    warned = [event.text for event in played.seen if isinstance(event, e.Warned)]
    assert len(warned) == 1
    assert "stopped answering" in warned[0]
    assert "/testbed/1" in fold(played.seen).files


async def test_a_frozen_sandbox_that_is_lost_ends_in_order() -> None:
    played = Played()
    run = played.run

    async def thaw() -> None:
        raise SandboxLost("The container was removed.")

    played.sandbox.thaw = thaw

    async def person() -> None:
        while not any(isinstance(event, e.ModelAsked) for event in played.seen):
            await asyncio.sleep(0)
        await run.freeze()
        run.cancel("You ended the run.")

    pressing = asyncio.create_task(person())
    await played.play()
    await pressing
    played.is_in_order()
    end = played.seen[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "cancelled"


async def test_a_shell_that_will_not_end_is_closed_before_the_run_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shells, "HANGUP_SECONDS", 0.05)
    played = Played()

    class Deaf(AShell):
        async def output(self) -> AsyncIterator[bytes]:
            yield b"$ "
            await asyncio.Event().wait()

    async def open_shell(cols: int, rows: int) -> Shell:
        return cast(Shell, Deaf(played.point))

    played.sandbox.open_shell = open_shell

    async def person() -> None:
        while not any(isinstance(event, e.ModelAsked) for event in played.seen):
            await asyncio.sleep(0)
        await played.run.open_shell(80, 24)

    pressing = asyncio.create_task(person())
    await played.play()
    await pressing
    played.is_in_order()
    closed = [event.terminal for event in played.seen if isinstance(event, e.TerminalClosed)]
    assert closed == ["shell"]
    await nothing_goes_on()


async def test_a_command_that_is_running_when_the_run_ends_is_answered() -> None:
    played = Played(mode="paused")

    async def forever(command: str, **more: Any) -> ExecResult:
        await asyncio.Event().wait()
        raise AssertionError

    played.sandbox.exec = forever

    async def person() -> None:
        played.run.inject("sleep 100")
        while not any(isinstance(event, e.HumanCommandStarted) for event in played.seen):
            await asyncio.sleep(0)
        played.run.cancel()

    pressing = asyncio.create_task(person())
    await played.play()
    await pressing
    played.is_in_order()
    (ended,) = [event for event in played.seen if isinstance(event, e.HumanCommandFinished)]
    assert "ended while this command was running" in ended.observation


async def test_no_queued_command_starts_when_the_time_limit_ends_a_call() -> None:
    played = Played(time_limit=0.2)
    began = asyncio.Event()

    async def forever(command: str, **more: Any) -> ExecResult:
        began.set()
        await asyncio.Event().wait()
        raise AssertionError

    played.sandbox.exec = forever

    async def person() -> None:
        await began.wait()
        played.run.inject("echo queued")

    pressing = asyncio.create_task(person())
    await played.play()
    await pressing
    played.is_in_order()
    end = played.seen[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "time_limit"
    assert not [event for event in played.seen if isinstance(event, e.HumanCommandStarted)]
    warnings = [event.text for event in played.seen if isinstance(event, e.Warned)]
    assert "Your command never ran: echo queued" in warnings


def test_a_withdrawn_command_blocks_nothing() -> None:
    state = fold([e.HumanCommand(seq=1, id=1, command="ls", told_to_model=True)])
    assert state.busy
    state.apply(e.Withdrawn(seq=2, id=1))
    assert not state.busy


async def test_no_time_passes_for_a_run_that_is_frozen_already() -> None:
    played = Played()
    freezer = Freezer(played.sandbox, asyncio.Lock(), lambda event: event)
    await freezer.freeze()
    async with asyncio.timeout(1000) as limit:
        freezer.attach_deadline(limit)
        assert limit.when() is None
        await freezer.thaw()
        assert limit.when() is not None


# --- a run with custom tools


class Look:
    """A tool that is not built in."""

    name = "look_around"
    schema: dict[str, Any] = {  # noqa: RUF012
        "name": "look_around",
        "description": "Looks.",
        "parameters": {"type": "object", "properties": {"where": {"description": "to"}}},
    }

    async def __call__(self, arguments: dict[str, Any], context: ToolContext) -> Observation:
        return Observation(text="nothing")


async def test_messages_of_a_run_with_custom_tools_name_them() -> None:
    played = Played(tools=(Look(),))
    errors: list[str] = []
    asked: list[Request] = []
    ask = played.model.ask

    def listen(request: Request) -> AsyncGenerator[Delta | Reply, None]:
        asked.append(request)
        return ask(request)

    played.model.ask = listen

    async def person() -> None:
        while not asked:
            await asyncio.sleep(0)
        try:
            played.run.inject("ls")
        except SandboxTuiError as error:
            errors.append(str(error))
        while len(asked) < 4:
            await asyncio.sleep(0)
        played.run.cancel()

    pressing = asyncio.create_task(person())
    await played.play()
    await pressing
    played.is_in_order()
    assert errors == ["This run has no execute_bash tool, so commands cannot be run in its shell."]
    reminded = asked[3].messages[-1]["content"]
    assert "look_around to continue working" in reminded
    assert "execute_bash" not in reminded


def test_a_rule_may_be_about_any_tool_there_is() -> None:
    rule = policy.Rule(action="deny", tool="look_around")
    assert "no tool named" in (policy.rule_problem(rule) or "")
    assert policy.rule_problem(rule, (Look.name,)) is None


def test_rules_know_every_built_in_tool() -> None:
    assert {tool.name for tool in DEFAULT_TOOLS} == set(BUILT_IN)
