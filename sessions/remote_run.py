"""A run of another program, to be steered like one of this program's."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..core.events import Mode
from ..core.policy import Policy, granted_rules, suggested
from ..core.state import MIRROR, RunState

Call = Callable[..., Awaitable[Any]]
"""Has something done in the other program, by name, and returns what came of it."""

Send = Callable[..., None]
"""The same for whoever cannot wait."""


class RemoteGate:
    """See `controls.GateView`."""

    def __init__(self, state: RunState, granted: list[tuple[str, str]]) -> None:
        self._state = state
        self._granted = granted

    @property
    def mode(self) -> Mode:
        """See `GateView`."""
        return self._state.mode

    def suggested(self) -> tuple[str, ...]:
        """See `GateView`."""
        pending, started = self._state.pending, self._state.started
        if pending is None or started is None or started.settings is None:
            return ()
        policy = msgspec.convert(started.settings.policy, Policy)
        rules = [rule for tool, pattern in self._granted for rule in granted_rules(tool, [pattern])]
        return suggested(policy, pending.call.name, pending.call.arguments, tuple(rules))


class RemoteSpec:
    """See `controls.SpecView`."""

    def __init__(self, state: RunState) -> None:
        self._state = state

    @property
    def output(self) -> Path | None:
        """See `SpecView`."""
        started = self._state.started
        settings = None if started is None else started.settings
        return Path(settings.output) if settings is not None and settings.output else None


class RemoteFiles:
    """See `controls.FileControls`. Both programs are on one host: paths mean the same to both."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def read(self, path: str, *, max_bytes: int) -> bytes:
        """See `HumanFiles.read`."""
        return base64.b64decode(await self._call("read", path=path, max_bytes=max_bytes))

    async def exists(self, path: str) -> bool:
        """See `HumanFiles.exists`."""
        return bool(await self._call("exists", path=path))

    async def fetch(self, path: str, target: Path) -> list[str]:
        """See `HumanFiles.fetch`."""
        return list(await self._call("fetch", path=path, target=str(target.absolute())))

    async def pull(self, path: str, target: Path, *, tell: bool = False) -> list[str]:
        """See `HumanFiles.pull`."""
        where = str(target.absolute())
        return list(await self._call("pull", path=path, target=where, tell=tell))

    async def push(self, source: Path, folder: str, *, tell: bool = True) -> str:
        """See `HumanFiles.push`."""
        what = str(source.absolute())
        return str(await self._call("push", source=what, folder=folder, tell=tell))

    async def open(self, path: str) -> bytes:
        """See `HumanFiles.open`."""
        return base64.b64decode(await self._call("open", path=path))

    async def save(
        self, path: str, data: bytes, *, opened: bytes | None, tell: bool = True
    ) -> None:
        """See `HumanFiles.save`."""
        await self._call("save", path=path, data=data, opened=opened, tell=tell)


class RemoteRun:
    """See `controls.Controls`.

    What returns at once goes by what is known here; should it be too late over there, nothing
    happens, as with a key that is pressed too late.

    Args:
        state: the fold of the run's events as far as they are known here.
        granted: tool and pattern of what was allowed, growing with the events.
        call, send: have something done.
        steers: whether this program's screen is the one that steers.
    """

    def __init__(
        self,
        state: RunState,
        granted: list[tuple[str, str]],
        call: Call,
        send: Send,
        steers: Callable[[], bool],
    ) -> None:
        self._state = state
        self._call = call
        self._send = send
        self._steers = steers
        self.gate = RemoteGate(state, granted)
        self.spec = RemoteSpec(state)
        self.files = RemoteFiles(call)

    @property
    def over(self) -> bool:
        """See `Run.over`."""
        return self._state.finished is not None

    @property
    def steerable(self) -> bool:
        """See `Run.steerable`."""
        return not self.over

    @property
    def frozen(self) -> bool:
        """See `Run.frozen`."""
        return self._state.frozen

    def set_mode(self, mode: Mode) -> None:
        """See `Run.set_mode`."""
        self._send("set_mode", mode=mode)

    def pause(self) -> None:
        """See `Run.pause`."""
        self._send("pause")

    def resume(self) -> None:
        """See `Run.resume`."""
        self._send("resume")

    def step(self) -> None:
        """See `Run.step`."""
        self._send("step")

    async def freeze(self) -> None:
        """See `Run.freeze`."""
        await self._call("freeze")

    async def thaw(self) -> None:
        """See `Run.thaw`."""
        await self._call("thaw")

    def approve(self, call: int) -> bool:
        """See `Run.approve`."""
        return self._decide("approve", call)

    def approve_always(self, call: int, patterns: Sequence[str]) -> bool:
        """See `Run.approve_always`."""
        return self._decide("approve_always", call, patterns=list(patterns))

    def edit(self, call: int, arguments: str) -> bool:
        """See `Run.edit`."""
        return self._decide("edit", call, arguments=arguments)

    def reject(self, call: int, feedback: str = "") -> bool:
        """See `Run.reject`."""
        return self._decide("reject", call, feedback=feedback)

    def answer(self, call: int, observation: str) -> bool:
        """See `Run.answer`."""
        return self._decide("answer", call, observation=observation)

    def skip(self, call: int) -> bool:
        """See `Run.skip`."""
        return self._decide("skip", call)

    def message(self, text: str) -> None:
        """See `Run.message`."""
        self._send("message", text=text)

    def inject(self, command: str, *, tell: bool = True) -> None:
        """See `Run.inject`."""
        self._send("inject", command=command, tell=tell)

    def reword(self, item: int, text: str) -> bool:
        """See `Run.reword`."""
        waits = item in self._state.humans and self._state.humans[item].may_change
        if waits:
            self._send("reword", item=item, text=text)
        return waits

    def withdraw(self, item: int) -> bool:
        """See `Run.withdraw`."""
        waits = item in self._state.humans and self._state.humans[item].waits
        if waits:
            self._send("withdraw", item=item)
        return waits

    async def interrupt(self) -> bool:
        """See `Run.interrupt`."""
        return bool(await self._call("interrupt"))

    def interrupt_reply(self) -> bool:
        """See `Run.interrupt_reply`."""
        reply = self._state.reply
        writing = reply is not None and reply.replied is None
        if writing:
            self._send("interrupt_reply")
        return writing

    def cancel(self, because: str = "The run was cancelled.") -> None:
        """See `Run.cancel`."""
        self._send("cancel", because=because)

    async def open_shell(self, columns: int, rows: int) -> str:
        """See `Run.open_shell`."""
        return str(await self._call("open_shell", columns=columns, rows=rows))

    async def type(self, terminal: str, data: bytes) -> None:
        """See `Run.type`; keys go out in the order in which they were pressed."""
        if self._steers():
            self._send("type", terminal=terminal, data=data)

    async def close_shell(self, terminal: str) -> None:
        """See `Run.close_shell`."""
        if self._steers():
            self._send("close_shell", terminal=terminal)

    async def resize(self, terminal: str, columns: int, rows: int) -> None:
        """See `Run.resize`; the screen that steers says how large things are."""
        known = terminal == MIRROR or terminal in self._state.terminals
        if self._steers() and known and not self.over:
            self._send("resize", terminal=terminal, columns=columns, rows=rows)

    def _decide(self, verdict: str, call: int, **more: Any) -> bool:
        pending = self._state.pending
        waits = pending is not None and pending.call.number == call
        if waits:
            self._send(verdict, call=call, **more)
        return waits
