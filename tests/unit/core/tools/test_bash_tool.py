"""`execute_bash` as the model sees it."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox_tui.core.sandboxes.base import ExecResult
from sandbox_tui.core.tools.base import Observation, ToolContext
from sandbox_tui.core.tools.bash import ExecuteBash
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS, command_docs
from sandbox_tui.core.tools.submit import Submit
from tests.fakes import FakeSandbox, result


async def run(ended: ExecResult, **context: Any) -> Observation:
    sandbox = FakeSandbox()
    sandbox.results = [ended]
    return await ExecuteBash()({"command": "x"}, ToolContext(sandbox=sandbox, **context))


async def test_the_form_of_an_observation() -> None:
    answer = await run(result(b"out\n", b"err\n", 3))
    assert answer.text == (
        "Exit code: 3\nExecution output of [execute_bash]:\n[STDOUT]\nout\n[STDERR]\nerr"
    )
    assert (answer.ok, answer.exit_code) == (False, 3)
    assert (answer.stdout_bytes, answer.stderr_bytes) == (4, 4)
    quiet = await run(result(b"", b"\n"))
    assert quiet.text == "Exit code: 0\nExecution output of [execute_bash]:\n[STDOUT]\n"
    assert quiet.ok


@pytest.mark.parametrize("arguments", [{}, {"command": ""}, {"command": " \n"}, {"command": []}])
async def test_a_call_without_a_command(arguments: dict[str, Any]) -> None:
    sandbox = FakeSandbox()
    answer = await ExecuteBash()(arguments, ToolContext(sandbox=sandbox))
    assert not answer.ok
    assert "Error: command" in answer.text
    assert sandbox.commands == []


async def test_parameters_of_other_tools_are_ignored() -> None:
    sandbox = FakeSandbox()
    context = ToolContext(sandbox=sandbox, command_timeout=7)
    answer = await ExecuteBash()({"command": "ls", "timeout": 600}, context)
    assert answer.ok
    assert sandbox.commands == [("ls", 7)]


async def test_output_goes_to_the_terminal_as_it_comes() -> None:
    seen: list[tuple[str, bytes]] = []

    async def sink(stream: str, data: bytes) -> None:
        seen.append((stream, data))

    await run(result(b"\x1b[31mout", b"err"), on_output=sink)
    assert seen == [("stdout", b"\x1b[31mout"), ("stderr", b"err")]


async def test_output_is_text_without_escapes() -> None:
    answer = await run(result(b"\x1b[1mbold\x1b[0m\0 caf\xe9\r\n 10%\r100%\n"))
    assert answer.text.endswith("[STDOUT]\nbold caf\ufffd\n100%")


async def test_a_timeout_keeps_what_was_printed() -> None:
    ended = result(b"step 1\nstep 2\n", b"", None, timed_out=True)
    answer = await run(ended, command_timeout=3)
    assert answer.text.startswith("Exit code: -1\n")
    assert "step 1\nstep 2" in answer.text
    assert "longer than 3 s and was ended" in answer.text
    assert (answer.ok, answer.timed_out) == (False, True)


async def test_a_program_that_exits_as_timeout_does_is_no_timeout() -> None:
    answer = await run(result(b"kept\n", b"", 124))
    assert answer.text.startswith("Exit code: 124\n")
    assert "kept" in answer.text
    assert not answer.timed_out


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (result(code=None, interrupted=True), "A person interrupted"),
        (result(code=None, state_lost=True), "killed its own shell"),
        (result(code=None, started=False), "was not run: the sandbox could start no process"),
        (result(cleared=7), "too many processes: 7 that commands had left"),
        (result(background=True), "still running in the background"),
        (result(b"x" * 10, stdout_bytes=10**8), "wrote 100000000 bytes; only the beginning"),
    ],
)
async def test_what_else_the_model_is_told(ended: ExecResult, words: str) -> None:
    assert words in (await run(ended)).text


async def test_output_of_just_the_bound_is_whole() -> None:
    answer = await run(result(b"line\n" * 160))
    assert not answer.truncated
    assert answer.text.count("line") == 160


@pytest.mark.parametrize(
    ("stdout", "stderr"),
    [
        (b"x" * 1_000_000, b""),
        (b"", b"x" * 1_000_000),
        (b"x" * 1_000_000, b"y\n" * 1_000_000),
        (b"x\n" * 100_000, b"y" * 1_000_000),
    ],
)
async def test_both_streams_share_one_bound(stdout: bytes, stderr: bytes) -> None:
    answer = await run(result(stdout, stderr))
    assert answer.truncated
    assert len(answer.text) < 20_000 + 600
    assert answer.text.count("\n") < 160 + 8
    assert ("[STDERR]" in answer.text) == bool(stderr)


async def test_submit() -> None:
    answer = await Submit()({}, ToolContext(sandbox=FakeSandbox()))
    assert (answer.text, answer.submitted, answer.ok) == ("<<< Finished >>>", True, True)


def test_the_tools_are_those_of_the_paper() -> None:
    assert [tool.name for tool in DEFAULT_TOOLS] == [
        "str_replace_editor",
        "execute_bash",
        "submit",
    ]
    assert all(tool.schema["name"] == tool.name for tool in DEFAULT_TOOLS)
    assert "execute_bash: Run a command" in command_docs()
