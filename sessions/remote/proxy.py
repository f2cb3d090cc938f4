"""A proxy to steer a run in another program like a local one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
from typing_extensions import override

from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.events.run_state import MIRROR, RunState
from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.policy.rules import Policy, Rule
from sandbox_tui.core.policy.session_rules import (
    OpenPart,
    granted_rules,
    newly_granted,
    open_parts,
)
from sandbox_tui.core.run.human.run_controls import FileControls, GateView, SpecView
from sandbox_tui.sessions.remote.commands import COMMANDS, FILES, Command

Call = Callable[[Command, msgspec.Struct], Awaitable[Any]]
"""Executes an operation in the other program and returns its result."""

Send = Callable[[Command, msgspec.Struct], None]
"""Executes an operation without waiting for it."""


class GateProxy(GateView):
    """The approval gate, as known from the events."""

    def __init__(self, state: RunState) -> None:
        self._state = state

    @property
    @override
    def mode(self) -> Mode:
        return self._state.mode

    @property
    @override
    def resume_mode(self) -> Mode:
        return self._state.paused_mode if self.mode == "paused" else self.mode

    @property
    def _policy(self) -> Policy | None:
        started = self._state.started
        if started is None or started.settings is None:
            return None
        return msgspec.convert(started.settings.policy, Policy)

    @property
    def _granted(self) -> tuple[Rule, ...]:
        given = self._state.granted
        return tuple(rule for one in given for rule in granted_rules(one.tool, [one.pattern]))

    @override
    def open_parts(self) -> tuple[OpenPart, ...]:
        pending, policy = self._state.pending, self._policy
        if pending is None or policy is None:
            return ()
        return open_parts(policy, pending.call.name, pending.call.arguments, self._granted)

    @override
    def would_allow(self, tool: str, patterns: Sequence[str]) -> bool:
        pending, policy = self._state.pending, self._policy
        if pending is None or policy is None:
            return False
        call, more = pending.call, granted_rules(tool, patterns)
        return newly_granted(policy, call.name, call.arguments, self._granted, more)


class SpecProxy(SpecView):
    """The run's specification, as known from its first event."""

    def __init__(self, state: RunState) -> None:
        self._state = state

    @property
    @override
    def output(self) -> Path | None:
        started = self._state.started
        settings = None if started is None else started.settings
        return Path(settings.output) if settings is not None and settings.output else None


class FilesProxy:
    """The sandbox's files. Both programs are on one host, so paths have the same meaning in
    both."""

    def __init__(self, call: Call) -> None:
        self.call = call


class RunProxy:
    """The run: a `Controls` whose methods are forwarded (at the end of this file).

    A method that is not a coroutine answers from local knowledge (`_CONDITIONS`). If it comes too
    late in the other program, nothing happens, as with a key pressed too late.

    Args:
        state: the fold of the run's events received so far.
        call, send: execute an operation.
        steers: whether this program's screen steers.
    """

    def __init__(
        self,
        state: RunState,
        call: Call,
        send: Send,
        steers: Callable[[], bool],
    ) -> None:
        self.state = state
        self.call = call
        self.send = send
        self.steers = steers
        self._gate = GateProxy(state)
        self._spec = SpecProxy(state)
        self._files = cast(FileControls, FilesProxy(call))

    @property
    def gate(self) -> GateView:
        return self._gate

    @property
    def spec(self) -> SpecView:
        return self._spec

    @property
    def files(self) -> FileControls:
        return self._files

    @property
    def phase(self) -> Phase:
        return self.state.phase

    @property
    def left_behind(self) -> Sequence[str]:
        return ()  # the other program copies the results

    @property
    def over(self) -> bool:
        return not self.steerable

    @property
    def steerable(self) -> bool:
        return self.phase.steerable

    @property
    def frozen(self) -> bool:
        return self.state.frozen


# --- the forwarded methods

_Condition = Callable[[RunProxy, Any], bool]


def _always(run: RunProxy, args: Any) -> bool:
    return True


def _call_waits(run: RunProxy, args: Any) -> bool:
    pending = run.state.pending
    return pending is not None and pending.call.number == args.call


def _may_change(run: RunProxy, args: Any) -> bool:
    return args.item in run.state.humans and run.state.humans[args.item].may_change


def _waits(run: RunProxy, args: Any) -> bool:
    return args.item in run.state.humans and run.state.humans[args.item].waits


def _is_granted(run: RunProxy, args: Any) -> bool:
    granted = ((one.tool, one.pattern) for one in run.state.granted)
    return (args.tool, args.pattern) in granted


def _reply_is_written(run: RunProxy, args: Any) -> bool:
    return run.state.reply is not None and not run.state.reply.ended


def _steers(run: RunProxy, args: Any) -> bool:
    return run.steers()


def _has_terminal(run: RunProxy, args: Any) -> bool:
    known = args.terminal == MIRROR or args.terminal in run.state.terminals
    return run.steers() and known and not run.over


_CONDITIONS: dict[str, _Condition] = {
    "approve": _call_waits,
    "approve_always": _call_waits,
    "keep_waiting": _call_waits,
    "edit": _call_waits,
    "reject": _call_waits,
    "answer": _call_waits,
    "skip": _call_waits,
    "revoke_rule": _is_granted,
    "reword": _may_change,
    "withdraw": _waits,
    "interrupt_reply": _reply_is_written,
    "type": _steers,
    "close_shell": _steers,
    "resize": _has_terminal,
}

_NOT_AWAITED = frozenset({"type", "close_shell", "resize"})
"""Coroutines that nothing awaits: keys are sent in the order in which they were pressed."""


def _forwarder(command: Command) -> Callable[..., Any]:
    async def call(self: RunProxy | FilesProxy, *args: Any, **kwargs: Any) -> Any:
        return await self.call(command, command.bind(args, kwargs))

    async def send_keys(self: RunProxy, *args: Any, **kwargs: Any) -> None:
        send(self, *args, **kwargs)

    def send(self: RunProxy, *args: Any, **kwargs: Any) -> bool | None:
        arguments = command.bind(args, kwargs)
        possible = _CONDITIONS.get(command.name, _always)(self, arguments)
        if possible:
            self.send(command, arguments)
        return possible if command.result is bool else None

    if not command.waits:
        return send
    return send_keys if command.name in _NOT_AWAITED else call


for _name, _command in COMMANDS.items():
    _owner = FilesProxy if _name.startswith(FILES) else RunProxy
    setattr(_owner, _name.removeprefix(FILES), _forwarder(_command))
