"""Commands with a terminal, in every kind of sandbox: what stays the same and what differs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from sandbox_tui.core.sandboxes.base import ExecResult, Sandbox, Shell
from tests.waiting import HANG_SECONDS

SIZE = (100, 30)
T = TypeVar("T")


async def sh(sandbox: Sandbox, command: str, timeout: float = HANG_SECONDS) -> ExecResult:
    return await sandbox.exec(command, timeout=timeout, tty=SIZE)


async def eventually(ask: Callable[[], Awaitable[T]], seconds: float = HANG_SECONDS) -> T:
    """Poll `ask` until it returns something true, and return that."""
    async with asyncio.timeout(seconds):
        while not (answer := await ask()):
            await asyncio.sleep(0.05)
        return answer


async def test_it_is_a_terminal_of_the_size_that_was_asked_for(sandbox: Sandbox) -> None:
    result = await sh(
        sandbox, "test -t 0 -a -t 1 -a -t 2 && stty size && stty -a | grep -o ' echo '"
    )
    assert (result.stdout, result.stderr) == (b"30 100\r\n echo \r\n", b"")
    assert result.exit_code == 0


async def test_both_streams_come_in_order(sandbox: Sandbox) -> None:
    result = await sh(sandbox, "echo out; echo err >&2; echo out")
    assert result.stdout == b"out\r\nerr\r\nout\r\n"
    assert (result.stderr, result.stdout_bytes) == (b"", 15)


async def test_the_shell_remembers(sandbox: Sandbox) -> None:
    await sh(sandbox, "cd /tmp; export A='it'\\''s'; f() { echo \"f $1\"; }; alias g='f g'")
    assert (await sh(sandbox, 'pwd; echo "$A"; f 1; g')).stdout.split(b"\r\n") == [
        b"/tmp",
        b"it's",
        b"f 1",
        b"f g",
        b"",
    ]
    without = await sandbox.exec('pwd; echo "$A"', timeout=HANG_SECONDS)
    assert without.stdout == b"/tmp\nit's\n"
    assert b"__SBX" not in (await sh(sandbox, "env; set")).stdout


@pytest.mark.parametrize(
    "command",
    ["exit 7", "kill -9 $$", "exec </dev/null >/dev/null 2>&1", "stty raw -echo", "kill -9 $PPID"],
)
async def test_nothing_a_command_does_breaks_the_next(sandbox: Sandbox, command: str) -> None:
    await sh(sandbox, "export KEPT=yes")
    await sh(sandbox, command)
    assert (await sh(sandbox, "echo fine $KEPT")).stdout == b"fine yes\r\n"


async def test_exit_codes_and_quotes_and_long_commands(sandbox: Sandbox) -> None:
    assert (await sh(sandbox, "exit 7")).exit_code == 7
    assert (await sh(sandbox, "printf '%s' \"a'b\"'\"c'")).stdout == b"a'b\"c"
    long = "# " + "x" * 5000 + "\necho long"
    assert (await sh(sandbox, long)).stdout == b"long\r\n"


async def test_a_command_without_an_end_is_ended(sandbox: Sandbox) -> None:
    began = time.monotonic()
    result = await sh(sandbox, "export LATE=1; echo part; sleep 100; echo never", timeout=1)
    assert result.timed_out
    assert result.stdout.startswith(b"part\r\n")
    assert b"never" not in result.stdout
    assert time.monotonic() - began < 4
    stubborn = await sh(sandbox, "trap '' INT TERM; echo part; while :; do :; done", timeout=1)
    assert stubborn.timed_out
    assert stubborn.stdout == b"part\r\n"
    assert (await sh(sandbox, "echo next")).stdout == b"next\r\n"


async def test_output_printed_on_interrupt_is_kept(sandbox: Sandbox) -> None:
    output_seen = asyncio.Event()

    async def listen(_: str, __: bytes) -> None:
        output_seen.set()

    command = "trap 'sleep 0.1; echo said at the end; exit 3' INT; echo begun; sleep 100 & wait"
    running = asyncio.create_task(
        sandbox.exec(command, timeout=HANG_SECONDS, on_output=listen, tty=SIZE)
    )
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    assert await sandbox.interrupt()
    result = await running
    assert result.interrupted
    assert b"said at the end" in result.stdout
    assert (await sh(sandbox, "echo next")).stdout == b"next\r\n"


async def test_a_service_in_the_background_continues(sandbox: Sandbox) -> None:
    command = "(for i in $(seq 200); do sleep 0.1; echo $i; done) >/tmp/ticks 2>&1 & echo begun"
    result = await sh(sandbox, command)
    assert result.stdout == b"begun\r\n"
    assert result.background
    before = (await sh(sandbox, "wc -l </tmp/ticks")).stdout
    await eventually(lambda: _differs(sandbox, before))


async def _differs(sandbox: Sandbox, before: bytes) -> bool:
    return (await sh(sandbox, "wc -l </tmp/ticks")).stdout != before


async def test_a_person_answers_what_a_command_asks(sandbox: Sandbox) -> None:
    running = asyncio.create_task(sh(sandbox, "read -p 'name? ' name; echo hello $name"))
    reader = await eventually(sandbox.terminal_reader)
    assert (reader.program, reader.hidden) == ("bash", False)
    assert await sandbox.write_stdin("Zoë\r".encode())
    assert (await running).stdout == "name? Zoë\r\nhello Zoë\r\n".encode()
    assert await sandbox.terminal_reader() is None
    assert not await sandbox.write_stdin(b"too late\r")
    assert (await sh(sandbox, "read -t 0.1 x; echo got $x")).stdout == b"got\r\n"


@pytest.mark.parametrize(
    ("command", "program", "hidden"),
    [
        ("read -s -p 'password: ' x", "bash", True),
        ("python3 -c 'import getpass; getpass.getpass()'", "python3", True),
        ("python3 -c 'input()'", "python3", False),
        ("sh -c 'cat </dev/tty'", "cat", False),
        ("cat | cat", "cat", False),
        ("script -qc 'bash -c \"read x\"' /dev/null", "", False),
    ],
)
async def test_a_command_that_waits_for_input_is_detected(
    sandbox: Sandbox, command: str, program: str, hidden: bool
) -> None:
    running = asyncio.create_task(sh(sandbox, command))
    reader = await eventually(sandbox.terminal_reader)
    assert (reader.program, reader.hidden) == (program or reader.program, hidden)
    await sandbox.interrupt()
    await running


@pytest.mark.parametrize("command", ["sleep 3", "timeout 3 tail -f /dev/null", "sleep 3 | cat"])
async def test_other_waits_are_not_mistaken_for_input(sandbox: Sandbox, command: str) -> None:
    running = asyncio.create_task(sh(sandbox, command))
    while not running.done():
        assert await sandbox.terminal_reader() is None
        await asyncio.sleep(0.1)


async def test_a_command_that_creates_its_own_terminal_is_detected(
    sandbox: Sandbox,
) -> None:
    command = "sleep 30 | script -qc 'bash -c \"read -p ready x\"' /dev/null"
    running = asyncio.create_task(sandbox.exec(command, timeout=HANG_SECONDS))
    assert await eventually(sandbox.terminal_reader)
    await sandbox.interrupt()
    await running


async def test_unread_input_blocks_nothing(sandbox: Sandbox) -> None:
    running = asyncio.create_task(sh(sandbox, "stty -icanon; echo begun; sleep 100"))
    await eventually(lambda: sandbox.write_stdin(b"x"))
    while await sandbox.write_stdin(b"x" * 1000):
        pass
    await sandbox.interrupt()
    assert (await asyncio.wait_for(running, HANG_SECONDS)).interrupted
    assert (await sh(sandbox, "echo next")).stdout == b"next\r\n"


async def test_a_missing_script_command_is_reported(sandbox: Sandbox) -> None:
    if sandbox.kind != "docker":
        pytest.skip("the system is read-only here")
    await sandbox.exec("mv $(command -v script) /tmp/", timeout=HANG_SECONDS)
    result = await sh(sandbox, "echo ran; exit 3")
    assert (result.stdout, result.exit_code) == (b"ran\n", 3)
    assert b"no script(1) here" in result.stderr


# --- input that the user's shell hides


async def hidden_at(sandbox: Sandbox, shell: Shell, wanted: bool) -> None:
    async with asyncio.timeout(HANG_SECONDS):
        while await shell.hides_input() != wanted:
            await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    ("program", "hides"),
    [
        ("read -s -p 'say: ' x", True),
        ("python3 -c 'import getpass; getpass.getpass()'", True),
        ("read -p 'say: ' x", False),
        ("cat", False),
    ],
)
async def test_a_shell_tells_whether_it_hides_what_is_typed(
    sandbox: Sandbox, program: str, hides: bool
) -> None:
    shell = await sandbox.open_shell(80, 24)
    printed = bytearray()

    async def listen() -> None:
        async for data in shell.output():
            printed.extend(data)

    listening = asyncio.create_task(listen())
    try:
        await eventually(lambda: _seen(printed, "❯".encode()))
        assert not await shell.hides_input()
        await shell.write(b"echo rea''dy; " + program.encode() + b"; echo do''ne\r")
        await eventually(lambda: _seen(printed, b"ready\r\n"))  # keys no longer go to the shell
        await hidden_at(sandbox, shell, hides)
        await shell.write(b"hunter2\r")
        if program == "cat":
            await shell.write(b"\x04")
        await eventually(lambda: _seen(printed, b"done\r\n"))
        assert (b"hunter2" in printed) == (not hides)
        await hidden_at(sandbox, shell, wanted=False)
    finally:
        await shell.close()
        listening.cancel()


async def _seen(printed: bytearray, wanted: bytes) -> bool:
    return wanted in printed
