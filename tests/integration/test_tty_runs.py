"""Runs whose commands have a terminal, commands that wait, and passwords typed into shells."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run import Run
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, Start, later, only, request, watch
from tests.waiting import HANG_SECONDS

ASK = "printf '\\033[31mred\\033[0m 10%%\\r'; echo '100%     '; read -s -p 'pin: ' x; echo; echo $x"


@KINDS
async def test_a_command_on_a_terminal_is_answered_and_its_text_is_observed(
    kind: str, scripted_server: Start, tmp_path: Path
) -> None:
    require(kind)
    server = scripted_server(s.call("execute_bash", command=ASK), s.call("submit"))

    async def act(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.InputAwaited):
            await run.type("model", b"hunter2\r")

    wanted = request(server, kind, **{"agent.tty": True})
    seen, store, _ = await watch(wanted, tmp_path, act)
    (awaited,) = only(e.InputAwaited, seen)
    assert (awaited.program, awaited.hidden, awaited.answerable) == ("bash", True, True)
    (typed,) = only(e.TerminalInput, seen)
    assert (typed.data, typed.hidden) == (b"*******\r", True)
    mirror = b"".join(x.data for x in only(e.TerminalOutput, seen))
    assert b"\x1b[31mred\x1b[0m 10%" in mirror
    finished = only(e.CallFinished, seen)[0]
    assert finished.observation == (
        "Exit code: 0\nExecution output of [execute_bash]:\n[STDOUT]\n100%\npin:\nhunter2"
    )
    assert (finished.ok, finished.truncated) == (True, False)
    store.close()


@KINDS
async def test_a_command_that_waits_on_its_own_terminal_is_reported(
    kind: str, scripted_server: Start, tmp_path: Path
) -> None:
    require(kind)
    command = "sleep 60 | script -qc 'bash -c \"read -p ready x\"' /dev/null"
    server = scripted_server(s.call("execute_bash", command=command), s.call("submit"))

    async def act(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.InputAwaited):
            assert run.state.awaited is event
            await run.type("model", b"nobody hears this\r")
            await run.interrupt()

    seen, store, _ = await watch(request(server, kind), tmp_path, act)
    (awaited,) = only(e.InputAwaited, seen)
    assert not awaited.answerable
    assert only(e.TerminalInput, seen) == []
    assert only(e.CallFinished, seen)[0].interrupted
    store.close()


@KINDS
@pytest.mark.parametrize("way", ["read -s -p 'pin: ' x", "python3 -m getpass_asks"])
async def test_a_password_typed_into_a_shell_is_nowhere_in_the_record(
    way: str, kind: str, scripted_server: Start, tmp_path: Path
) -> None:
    require(kind)
    server = scripted_server(s.call("submit"))
    way = way.replace("-m getpass_asks", "-c \"import getpass; getpass.getpass('pin: ')\"")

    async def act(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.CallProposed):
            await run.open_shell(80, 24)
            await run.type("shell", f"{way}; echo do''ne; exit\r".encode())
        if isinstance(event, e.TerminalOutput) and b"pin: " in event.data.split(b"\n")[-1]:
            for key in b"hunter2":
                await run.type("shell", bytes([key]))
            await run.type("shell", b"\r")
        if isinstance(event, e.TerminalClosed):
            run.approve(1)

    wanted = request(server, kind, mode="step")
    async with asyncio.timeout(HANG_SECONDS):
        seen, store, _ = await watch(wanted, tmp_path, lambda run, event: later(act(run, event)))
    typed = only(e.TerminalInput, seen)
    assert typed[0].data.startswith(way.encode())
    assert [x.data for x in typed if x.hidden] == [b"*"] * 7
    assert b"done" in b"".join(x.data for x in only(e.TerminalOutput, seen))
    store.close()
    assert b"hunter2" not in b"".join(x.read_bytes() for x in tmp_path.glob("s.db*"))
