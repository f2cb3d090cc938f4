"""`execute_bash`: runs a command in the sandbox, in a shell that keeps its state."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.base.json_arguments import ArgumentsError, text_argument
from sandbox_tui.core.sandboxes.base import ExecResult
from sandbox_tui.core.terminal.transcript import transcript
from sandbox_tui.core.tools.base import Observation, Tool, ToolContext
from sandbox_tui.core.tools.truncation import TruncatedText, decode_ends, truncate_ends
from sandbox_tui.core.tools.typed_arguments import missing_arguments

_CAPPED = "[The command wrote {} bytes; only the beginning was kept. Send long output to a file.]"


class ExecuteBash(Tool):
    """Runs a command. The observation has the reference's format, without its stray backslashes."""

    name = "execute_bash"
    schema: Mapping[str, Any] = {
        "name": "execute_bash",
        "description": (
            "Run a command with bash in the sandbox. The shell remembers: the current directory, "
            "variables, functions and an activated environment are kept from call to call. Stdin "
            "is empty, so nothing can be asked. A command that takes too long is ended and what "
            "it printed until then is returned; start long-lived services in the background with "
            "& and their output sent to a file. Long output is cut in the middle."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command, of one or more lines."}
            },
            "required": ["command"],
        },
    }

    @override
    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> Observation:
        try:
            command = _command(arguments)
        except ArgumentsError as error:
            return Observation(text=f"Error: {error}", ok=False)
        result = await context.sandbox.exec(
            command,
            timeout=context.command_timeout,
            on_output=context.on_output,
            tty=context.tty,
        )
        if context.tty is not None:
            result = await asyncio.to_thread(as_terminal_text, result, context.tty)
        return observe(result, context)


def _command(arguments: Mapping[str, Any]) -> str:
    command = text_argument(arguments, "command")
    if command is None:
        raise missing_arguments(arguments, "command")
    if not command.strip():
        raise ArgumentsError("command is empty.")
    return command


def as_terminal_text(result: ExecResult, size: Size) -> ExecResult:
    """Return the result, with the final text of the command's terminal as its output."""
    text = transcript(result.stdout, size).encode()
    whole = len(result.stdout) == result.stdout_bytes
    wrote = len(text) if whole else result.stdout_bytes
    return dataclasses.replace(result, stdout=text, stdout_bytes=wrote)


def observe(result: ExecResult, context: ToolContext) -> Observation:
    """Return the observation for a command's result."""
    stdout, stderr = _share(result, context)
    lines = [f"Exit code: {_code(result)}", "Execution output of [execute_bash]:"]
    lines += ["[STDOUT]", stdout.text]
    if stderr.text.strip():
        lines += ["[STDERR]", stderr.text]
    cut = len(result.stdout) < result.stdout_bytes or len(result.stderr) < result.stderr_bytes
    if cut:
        lines.append(_CAPPED.format(result.stdout_bytes + result.stderr_bytes))
    lines += _notes(result, context)
    return Observation(
        text="\n".join(lines),
        ok=result.exit_code == 0 and not result.timed_out and not result.interrupted,
        exit_code=result.exit_code,
        stdout_bytes=result.stdout_bytes,
        stderr_bytes=result.stderr_bytes,
        truncated=stdout.truncated or stderr.truncated or cut,
        timed_out=result.timed_out,
        interrupted=result.interrupted,
        background=result.background,
    )


def _share(result: ExecResult, context: ToolContext) -> tuple[TruncatedText, TruncatedText]:
    """Return both streams, truncated to one observation; stderr gets up to a third."""
    stdout = decode_ends(result.stdout, context.max_chars)
    stderr = decode_ends(result.stderr, context.max_chars)
    err = truncate_ends(
        stderr, max_lines=max(1, context.max_lines // 3), max_chars=context.max_chars // 3
    )
    room = context.max_chars - len(err.text) if err.text.strip() else context.max_chars
    lines = context.max_lines - (err.text.count("\n") + 1 if err.text.strip() else 0)
    out = truncate_ends(stdout, max_lines=max(1, lines), max_chars=max(1, room))
    return out, err


def _code(result: ExecResult) -> str:
    if result.timed_out or result.interrupted or result.exit_code is None:
        return "-1"
    return str(result.exit_code)


INTERRUPTED = "[A person interrupted the command. Its output so far is above.]"
"""Follows the output of a command that a person interrupted."""

SHELL_LOST = (
    "[The command killed its own shell, or the connection to it was lost. Its output so far is "
    "above; a new shell has taken its place.]"
)


NOT_STARTED = "[The command was not run: the sandbox could start no process for it.]"
PROCESSES_KILLED = (
    "[There were too many processes: {} that commands had left in the background were killed, "
    "services among them.]"
)


def _notes(result: ExecResult, context: ToolContext) -> list[str]:
    """Return the notes for the model that follow the output."""
    cleared = [PROCESSES_KILLED.format(result.cleared)] if result.cleared else []
    return _ending(result, context) + cleared


def _ending(result: ExecResult, context: ToolContext) -> list[str]:
    if not result.started:
        return [NOT_STARTED]
    if result.timed_out:
        limit = f"{context.command_timeout:g} s"
        return [
            f"[The command took longer than {limit} and was ended. Its output so far is above.]"
        ]
    if result.interrupted:
        return [INTERRUPTED]
    if result.exit_code is None:
        return [SHELL_LOST]
    if result.out_of_memory:
        return [f"[It was killed: the sandbox has {context.sandbox.info['memory']} of memory.]"]
    if result.background:
        return ["[Processes that it started are still running in the background.]"]
    return []
