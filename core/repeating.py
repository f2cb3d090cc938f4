"""Brings a fork's sandbox to the moment of its parent at which it begins.

From the nearest snapshot, or the recorded input where none stands, the recorded calls and commands
since are carried out again in order; then the contents that were kept of that moment's files are
put where they differ. Each repetition is written as an event, with what came out differently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from . import events as e
from .blobs import Blobs, digest
from .errors import FileRefused
from .fork import Deed, Repeat
from .headline import headline
from .paths import path_to_text, text_to_path
from .sandboxes.base import FileEntry, Sandbox
from .sandboxes.scripts import quote
from .state import FileState
from .text import clean_line
from .tools.arguments import ArgumentsError, parse_arguments
from .tools.base import Observation, Tool, ToolContext

PUT_RIGHT = 1000
"""At most so many files are compared with what was kept of them."""

SHELL_TIMEOUT = 60.0
NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a repetition needs of its run.

    Attributes:
        sandbox: the fork's.
        tools: by name.
        context: bounds, and the time limit of a command in seconds.
        blobs: the contents that were kept.
        post: writes an event.
    """

    sandbox: Sandbox
    tools: Sequence[Tool]
    context: Callable[[float], ToolContext]
    command_timeout: float
    blobs: Blobs
    post: Callable[[e.AnyEvent], e.AnyEvent]


async def lay_out(files: Sequence[e.FileChange], bench: Bench) -> None:
    """Put the files there with which a session began, as far as they were kept."""
    missing = await _put(files, bench)
    if missing:
        bench.post(e.Warned(text=f"Not kept, and so not there: {_names(missing)}."))


async def carry_out(deeds: Sequence[Deed], bench: Bench) -> None:
    """Do again what was done, saying of each whether it came out the same."""
    count = sum(isinstance(deed, Repeat) for deed in deeds)
    number = 0
    for deed in deeds:
        if isinstance(deed, Repeat):
            number += 1
            parted = _parted(deed, await _again(deed, bench))
            bench.post(
                e.Repeated(what=deed.number, by=deed.by, number=number, of=count, parted=parted)
            )
        elif missing := await _put(deed.changes, bench):
            bench.post(e.Warned(text=f"Changed by hand and not kept: {_names(missing)}."))


async def put_right(files: dict[str, FileState], bench: Bench, root: str) -> None:
    """Make the files what they were then, as far as their contents were kept."""
    now = (await bench.sandbox.list_files(root)).entries
    wrong: list[e.FileChange] = []
    lost: list[str] = []
    for state in list(files.values())[:PUT_RIGHT]:
        kept = state.last
        there = now.get(text_to_path(kept.path))
        if kept.change == "deleted":
            if there is not None:
                wrong.append(kept)
        elif kept.kind == "file" and kept.blob is None:
            if there is None or there.size != kept.size:
                lost.append(kept.path)
        elif not await _same(kept, there, bench):
            wrong.append(kept)
    lost += await _put(wrong, bench)
    put = [change.path for change in wrong if change.path not in lost]
    if put:
        bench.post(e.Warned(text=f"Came out differently, put back as recorded: {_names(put)}."))
    if lost:
        bench.post(
            e.Warned(text=f"Not as they were, and their content was not kept: {_names(lost)}.")
        )


# --- calls


async def _again(deed: Repeat, bench: Bench) -> Observation:
    tool = next(tool for tool in bench.tools if tool.name == deed.tool)
    limit = bench.command_timeout
    if deed.ended:
        limit = min(limit, max(deed.duration, 0.1))
    try:
        arguments = parse_arguments(deed.arguments)
    except ArgumentsError as error:
        return Observation(text=f"Error: {error}", ok=False)
    return await tool(arguments, bench.context(limit))


def _parted(deed: Repeat, now: Observation) -> str:
    """How a repetition came out differently, as a sentence; empty when it did not."""
    if deed.ended and now.timed_out:
        return ""
    about = clean_line(headline(deed.tool, deed.arguments))[:60]
    what = f"call {deed.number}" if deed.by == "model" else "your command"
    if now.exit_code != deed.exit_code:
        how = f"exit code {_code(now.exit_code)}, recorded {_code(deed.exit_code)}"
    elif not deed.observation.endswith(now.text):
        how = "it answers something else than recorded"
    else:
        return ""
    return f"Repeated, {what} came out differently: {how} ({about})."


def _code(code: int | None) -> str:
    return "none" if code is None else str(code)


# --- files


async def _same(kept: e.FileChange, there: FileEntry | None, bench: Bench) -> bool:
    if there is None or there.kind != kept.kind:
        return False
    if kept.kind != "file":
        return True
    if (there.size, there.mode) != (kept.size, kept.mode):
        return False
    try:
        return digest(await bench.sandbox.read_file(kept.path)) == kept.blob
    except FileRefused:
        return False


async def _put(changes: Sequence[e.FileChange], bench: Bench) -> list[str]:
    """Do to the files what the changes say; the paths whose content is not known."""
    lost: list[str] = []
    script: list[bytes] = []
    for change in changes:
        path = quote(change.path)
        if change.change == "deleted":
            script.append(b"rm -rf -- %b" % path)
        elif change.kind == "dir":
            script.append(b"mkdir -p -- %b && chmod %o -- %b" % (path, change.mode & 0o7777, path))
        elif change.kind == "file" and change.blob is not None:
            data = bench.blobs.get(change.blob)
            if data is None or not await _written(change.path, data, bench):
                lost.append(change.path)
            else:
                script.append(b"chmod %o -- %b" % (change.mode & 0o777, path))
        else:
            lost.append(change.path)
    if script:
        words = b"(\n" + b"\n".join(script) + b"\n) >/dev/null 2>&1 </dev/null"
        await bench.sandbox.exec(words.decode("utf-8", "surrogateescape"), timeout=SHELL_TIMEOUT)
    return lost


async def _written(path: str, data: bytes, bench: Bench) -> bool:
    try:
        await bench.sandbox.write_file(path, data)
    except FileRefused:
        return False
    return True


def _names(paths: Sequence[str]) -> str:
    shown = ", ".join(clean_line(path_to_text(text_to_path(path))) for path in paths[:NAMED])
    return f"{shown} and {len(paths) - NAMED} more" if len(paths) > NAMED else shown
