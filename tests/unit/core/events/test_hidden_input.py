"""How typed input that a terminal does not echo is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import SandboxError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.journal import Journal
from sandbox_tui.core.run.human.user_shells import UserShells, may_be_secret, starred


class PromptingShell:
    """A shell that hides its input until the end of a line.

    With `told` off, asking whether it hides input fails.
    """

    def __init__(self, *, hides: bool = True, told: bool = True) -> None:
        self.hides = hides
        self.told = told
        self.got = b""
        self.arrived = asyncio.Event()
        self.ended = asyncio.Event()

    async def output(self) -> AsyncIterator[bytes]:
        await self.ended.wait()
        yield b""

    async def write(self, data: bytes) -> None:
        self.got += data
        if data.endswith(b"\r"):
            self.hides = False
            self.arrived.set()

    async def resize(self, cols: int, rows: int) -> None: ...

    async def hides_input(self) -> bool:
        if not self.told:
            raise SandboxError("no answer")
        return self.hides

    async def close(self) -> int | None:
        self.ended.set()
        return 0


class OneShell:
    """A stand-in for a sandbox with what `UserShells` needs: one shell."""

    def __init__(self, shell: PromptingShell) -> None:
        self.shell = shell

    async def open_shell(self, cols: int, rows: int) -> PromptingShell:
        return self.shell


async def typed_into(shell: PromptingShell, *pieces: bytes) -> list[e.TerminalInput]:
    journal = Journal()
    seen: list[e.AnyEvent] = []
    journal.observers.append(seen.append)
    shells = UserShells(OneShell(shell), journal)  # type: ignore[arg-type]
    name = await shells.open(80, 24)
    for piece in pieces:
        shells.type(name, piece)
    await asyncio.wait_for(shell.arrived.wait(), 5)
    await shells.close()
    return [event for event in seen if isinstance(event, e.TerminalInput)]


async def test_a_password_is_kept_as_stars_and_arrives_as_it_is() -> None:
    shell = PromptingShell()
    seen = await typed_into(shell, b"hunter", "é2".encode(), b"\r", b"ls\r")
    assert [(event.data, event.hidden) for event in seen][:3] == [
        (b"******", True),
        (b"**", True),
        (b"\r", False),
    ]
    assert shell.got.startswith("hunteré2\r".encode())


async def test_a_pasted_password_with_its_enter_is_hidden_too() -> None:
    seen = await typed_into(PromptingShell(), b"\x1b[200~hunter2\x1b[201~\r")
    assert [(event.data, event.hidden) for event in seen] == [(b"*******\r", True)]


async def test_in_doubt_it_is_hidden() -> None:
    seen = await typed_into(PromptingShell(hides=False, told=False), b"hunter2\r")
    assert [(event.data, event.hidden) for event in seen] == [(b"*******\r", True)]


async def test_echoed_input_is_recorded_unchanged() -> None:
    seen = await typed_into(PromptingShell(hides=False), b"ls -la\r")
    assert [(event.data, event.hidden) for event in seen] == [(b"ls -la\r", False)]


@given(st.text(), st.booleans())
def test_nothing_of_a_secret_is_left(text: str, pasted: bool) -> None:
    data = text.encode("utf-8", "replace")
    kept = starred(b"\x1b[200~" + data + b"\x1b[201~" if pasted else data).decode()
    assert set(kept) <= set("*\r\n\x03\x04\x15\x7f")
    assert len(kept) <= len(text)


@pytest.mark.parametrize(
    ("data", "secret"),
    [
        (b"a", True),
        (b"\r", False),
        (b"\x1b[A", False),
        (b"\x1bOP", False),
        (b"\x1b[<0;10;5M\x1b[<0;10;5m", False),
        (b"\x1b[200~x\x1b[201~", True),
        (b"\x1bx", True),
        ("é".encode(), True),
    ],
)
def test_keys_without_characters_are_no_secret(data: bytes, secret: bool) -> None:
    assert may_be_secret(data) == secret
