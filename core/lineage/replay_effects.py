"""Restores in a fork's sandbox the state that its parent's had at the fork point.

Starting from the nearest snapshot, or else from the recorded input, the recorded calls and commands
since then run again in order; then files whose stored content differs are written. Each replay is
recorded, with the difference in its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sandbox_tui.core.base.blob_store import BlobStore, digest
from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.base.path_codec import path_to_text, text_to_path
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import FileState
from sandbox_tui.core.lineage.differing_result import differing_result
from sandbox_tui.core.lineage.fork_point import CommandReplay, SideEffect
from sandbox_tui.core.sandboxes.base import FileEntry, Sandbox
from sandbox_tui.core.sandboxes.scripts.loader import quote
from sandbox_tui.core.tools.base import Observation

MAX_RECONCILED_FILES = 1000
"""Maximum number of files compared with their stored state."""

SHELL_TIMEOUT_SECONDS = 60.0
MAX_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayContext:
    """The context of a replay.

    Attributes:
        environment: the fork's environment.
        blobs: the stored contents.
    """

    environment: ToolEnvironment
    blobs: BlobStore

    @property
    def sandbox(self) -> Sandbox:
        """The fork's sandbox."""
        return self.environment.sandbox

    def warn(self, text: str) -> None:
        """Record a warning."""
        self.environment.events.post(e.Warned(text=text))


async def restore_inputs(files: Sequence[e.FileChange], context: ReplayContext) -> None:
    """Write the files that a session started with, as far as they were stored."""
    missing = await _apply_changes(files, context)
    if missing:
        context.warn(f"Missing, because their content was not saved: {_names(missing)}.")


async def replay(effects: Sequence[SideEffect], context: ReplayContext) -> None:
    """Repeat the effects, and record how each result differs."""
    count = sum(isinstance(effect, CommandReplay) for effect in effects)
    number = 0
    for effect in effects:
        if isinstance(effect, CommandReplay):
            number += 1
            divergence = differing_result(effect, await _replay_call(effect, context))
            context.environment.events.post(
                e.Repeated(
                    what=effect.number, by=effect.by, number=number, of=count, parted=divergence
                )
            )
        elif missing := await _apply_changes(effect.changes, context):
            context.warn(f"Edited by you, but the content was not saved: {_names(missing)}.")


async def reconcile_files(files: dict[str, FileState], context: ReplayContext, root: str) -> None:
    """Restore the files to their recorded state, as far as their contents were stored."""
    now = (await context.sandbox.list_files(root)).entries
    wrong: list[e.FileChange] = []
    lost: list[str] = []
    for state in list(files.values())[:MAX_RECONCILED_FILES]:
        kept = state.last
        current = now.get(text_to_path(kept.path))
        if kept.change == "deleted":
            if current is not None:
                wrong.append(kept)
        elif kept.kind == "file" and kept.blob is None:
            if current is None or current.size != kept.size:
                lost.append(kept.path)
        elif not await _same(kept, current, context):
            wrong.append(kept)
    lost += await _apply_changes(wrong, context)
    put = [change.path for change in wrong if change.path not in lost]
    if put:
        context.warn(f"Came out differently; restored as recorded: {_names(put)}.")
    if lost:
        context.warn(
            f"Different from the recording, and their content was not saved: {_names(lost)}."
        )


# --- calls


async def _replay_call(effect: CommandReplay, context: ReplayContext) -> Observation:
    tool = next((tool for tool in context.environment.tools if tool.name == effect.tool), None)
    if tool is None:
        return Observation(text=f"Error: this run has no tool named {effect.tool!r}.", ok=False)
    limit = context.environment.bounds.command_timeout
    if effect.ended:
        limit = min(limit, max(effect.duration, 0.1))
    try:
        arguments = parse_arguments(effect.arguments)
    except ArgumentsError as error:
        return Observation(text=f"Error: {error}", ok=False)
    return await tool(arguments, context.environment.context(command_timeout=limit))


# --- files


async def _same(kept: e.FileChange, current: FileEntry | None, context: ReplayContext) -> bool:
    if current is None or current.kind != kept.kind:
        return False
    if kept.kind != "file":
        return True
    if (current.size, current.mode) != (kept.size, kept.mode):
        return False
    try:
        return digest(await context.sandbox.read_file(kept.path)) == kept.blob
    except FileRefused:
        return False


async def _apply_changes(changes: Sequence[e.FileChange], context: ReplayContext) -> list[str]:
    """Apply changes; returns the paths whose content was not stored."""
    lost: list[str] = []
    script: list[bytes] = []
    for change in changes:
        path = quote(change.path)
        if change.change == "deleted":
            script.append(b"rm -rf -- %b" % path)
        elif change.kind == "dir":
            script.append(b"mkdir -p -- %b && chmod %o -- %b" % (path, change.mode & 0o7777, path))
        elif change.kind == "file" and change.blob is not None:
            data = context.blobs.get(change.blob)
            if data is None or not await _written(change.path, data, context):
                lost.append(change.path)
            else:
                script.append(b"chmod %o -- %b" % (change.mode & 0o777, path))
        else:
            lost.append(change.path)
    if script:
        words = b"(\n" + b"\n".join(script) + b"\n) >/dev/null 2>&1 </dev/null"
        command = words.decode("utf-8", "surrogateescape")
        await context.sandbox.exec(command, timeout=SHELL_TIMEOUT_SECONDS)
    return lost


async def _written(path: str, data: bytes, context: ReplayContext) -> bool:
    try:
        await context.sandbox.write_file(path, data)
    except FileRefused:
        return False
    return True


def _names(paths: Sequence[str]) -> str:
    shown = ", ".join(sanitize_line(path_to_text(text_to_path(path))) for path in paths[:MAX_NAMED])
    return f"{shown} and {len(paths) - MAX_NAMED} more" if len(paths) > MAX_NAMED else shown
