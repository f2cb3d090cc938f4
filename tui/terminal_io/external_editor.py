"""Runs the user's editor on this program's terminal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from sandbox_tui.core.base.errors import SandboxTuiError

MAX_SUFFIX = 32
"""Maximum length of the file's suffix; no editor highlights by a longer one."""

_open_editors: set[str] = set()


def is_editor_open() -> bool:
    """Return whether an editor has the terminal: signals meant for it must not end this program."""
    return bool(_open_editors)


def editor_command(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the editor from `$VISUAL` or `$EDITOR`, else vi, with its arguments.

    Raises:
        SandboxTuiError: the variable cannot be parsed as a command.
    """
    chosen = environment.get("VISUAL") or environment.get("EDITOR") or "vi"
    try:
        words = shlex.split(chosen)
    except ValueError:
        words = []
    if not words:
        raise SandboxTuiError(f"$EDITOR is not a command: {chosen!r}. Set it to one, such as vim.")
    return words


async def edit_in_editor(app: App[Any], text: str, suffix: str) -> str:
    """Let the user edit a text and return the result. Runs continue; the screen is suspended.

    Args:
        app: releases its terminal for that time.
        text: the initial text.
        suffix: of the file that the editor opens, so that it chooses the right highlighting.

    Raises:
        SandboxTuiError: there is no editor, no terminal or no file for it, or it failed.
    """
    command = editor_command()
    with contextlib.ExitStack() as opened:
        path = _new_file(opened, text, suffix)
        folder = str(path.parent)
        _open_editors.add(folder)
        try:
            with app.suspend(), app.batch_update():
                process = await asyncio.create_subprocess_exec(*command, str(path))
                code = await process.wait()
        except SuspendNotSupported:
            raise SandboxTuiError("$EDITOR cannot run in a browser: it needs a terminal.") from None
        except OSError as error:
            raise SandboxTuiError(f"{command[0]} cannot be started: {error.strerror}.") from error
        finally:
            _open_editors.discard(folder)
        if code != 0:
            raise SandboxTuiError(f"{command[0]} ended with exit code {code}: nothing was changed.")
        written = _read_back(path, command[0])
    return written if text.endswith("\n") else written.removesuffix("\n")


def _new_file(opened: contextlib.ExitStack, text: str, suffix: str) -> Path:
    """Create a file with this text in its own folder; closing `opened` removes both."""
    try:
        made = tempfile.TemporaryDirectory(prefix="sandbox-tui-", ignore_cleanup_errors=True)
        path = Path(
            opened.enter_context(made), f"call{suffix if len(suffix) <= MAX_SUFFIX else ''}"
        )
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise SandboxTuiError(
            f"The editor's file cannot be written: {error.strerror}. $TMPDIR names its folder."
        ) from error
    return path


def _read_back(path: Path, editor: str) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise SandboxTuiError(
            f"{editor} left no file to read ({error.strerror}): nothing was changed."
        ) from error
