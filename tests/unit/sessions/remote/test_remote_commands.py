"""The commands a screen may send to a run in another program: derived, encoded, checked."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.run.human.run_controls import Controls, FileControls
from sandbox_tui.sessions.remote import protocol, proxy
from sandbox_tui.sessions.remote.commands import COMMANDS, FILES, READ_ONLY, Command
from sandbox_tui.sessions.remote.proxy import FilesProxy, RunProxy


class Called:
    """A stand-in for a run and its files that records the calls to it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    @property
    def files(self) -> Called:
        return self

    def __getattr__(self, name: str) -> Any:
        command = COMMANDS.get(name) or COMMANDS[FILES + name]

        def sync(**arguments: Any) -> object:
            self.calls.append((name, arguments))
            return b"\x00\xff" if command.result is bytes else None

        async def waits(**arguments: Any) -> object:
            return sync(**arguments)

        return waits if command.waits else sync


def arguments(command: Command) -> dict[str, Any]:
    """Make a value for each argument, by its type."""
    values: dict[Any, Any] = {
        int: 7,
        int | None: 7,
        str: "é\n",
        bool: False,
        bytes: b"\x00\xff",
        Path: Path("/a"),
    }
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(command.arguments):
        if field.name == "mode":
            found[field.name] = "paused"
        elif field.name == "patterns":
            found[field.name] = ["ls *", "cd"]
        else:
            found[field.name] = values.get(field.type, b"x")
    return found


@pytest.mark.parametrize("name", sorted(COMMANDS))
async def test_a_command_arrives_as_it_was_called(name: str) -> None:
    command, run, given = COMMANDS[name], Called(), arguments(COMMANDS[name])
    args = command.encode(command.bind((), given))
    value = await command.invoke(cast(Controls, run), args)
    assert run.calls == [(name.removeprefix(FILES), given)]
    if command.waits:
        response = protocol.decode_message(
            protocol.encode(protocol.Response(1, protocol.encode_value(value)))
        )
        assert isinstance(response, protocol.Response)
        if value is not None:
            assert command.decode_result(response.value) == value


def test_every_operation_of_the_controls_is_a_command() -> None:
    methods = {
        prefix + name
        for prefix, kind in (("", Controls), (FILES, FileControls))
        for name, value in vars(kind).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }
    assert methods == set(COMMANDS)
    assert methods > READ_ONLY
    assert {"approve", "type", "files.save"} < methods
    for name in COMMANDS:
        owner = FilesProxy if name.startswith(FILES) else RunProxy
        assert callable(getattr(owner, name.removeprefix(FILES)))


def test_immediate_answers_come_from_the_local_state() -> None:
    """A method that returns whether it succeeded cannot wait for the other program."""
    at_once = {name for name, one in COMMANDS.items() if not one.waits and one.result is bool}
    assert at_once <= set(proxy._CONDITIONS)
    assert set(proxy._CONDITIONS) <= set(COMMANDS)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("approve", b"{}"),
        ("approve", b'{"call": "7"}'),
        ("approve", b"[7]"),
        ("set_mode", b'{"mode": "whatever"}'),
        ("files.fetch", b'{"path": "a", "target": 3}'),
        ("type", b'{"terminal": "shell", "data": "no base64!"}'),
    ],
)
async def test_arguments_of_other_types_are_refused(name: str, args: bytes) -> None:
    run = Called()
    with pytest.raises(msgspec.MsgspecError):
        await COMMANDS[name].invoke(cast(Controls, run), msgspec.Raw(args))
    assert run.calls == []


async def test_a_read_is_bounded_by_what_fits_into_a_line() -> None:
    run, read = Called(), COMMANDS["files.read"]
    await read.invoke(cast(Controls, run), read.encode(read.bind(("a",), {"max_bytes": 1 << 40})))
    assert run.calls == [("read", {"path": "a", "max_bytes": protocol.MAX_READ_BYTES})]


async def test_the_proxy_sends_what_is_possible_and_nothing_else() -> None:
    sent: list[tuple[str, Any]] = []

    def send(command: Command, given: msgspec.Struct) -> None:
        sent.append((command.name, msgspec.structs.asdict(given)))

    def call(command: Command, given: msgspec.Struct) -> Awaitable[Any]:
        raise AssertionError(command.name)

    run = cast(Controls, RunProxy(RunState(), call, send, lambda: False))
    assert run.approve(3) is False
    assert run.withdraw(1) is False
    assert run.interrupt_reply() is False
    await run.type("shell", b"x")
    assert sent == []
    assert run.pause() is None
    run.cancel()
    assert sent == [("pause", {}), ("cancel", {"because": "The run was cancelled."})]


def test_a_program_of_another_protocol_is_not_understood() -> None:
    other = protocol.Status(seq=1, steers=True, watchers=1, protocol=protocol.PROTOCOL + 1)
    with pytest.raises(msgspec.MsgspecError, match="protocol"):
        protocol.decode_message(protocol.encode(other))
