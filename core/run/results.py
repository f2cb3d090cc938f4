"""The results of a run: its answer and the files in its output directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox_tui.core.base.errors import SandboxTuiError

if TYPE_CHECKING:  # screens that only name results import no sandbox
    from sandbox_tui.core.sandboxes.base import Sandbox

MAX_ANSWER_BYTES = 64 * 1024

NOT_COPIED = "The results could not be copied out: "
"""How the warning begins that says why no results are on this machine."""

MAX_SENTENCES = 20
"""Maximum number of warnings about files not copied: an output folder may hold thousands of links.
"""


class Results:
    """The output directory of a sandbox.

    Args:
        sandbox: the sandbox.
        folder: the directory (text path).
    """

    def __init__(self, sandbox: Sandbox, folder: str) -> None:
        self._sandbox = sandbox
        self._folder = folder

    async def answer(self) -> str | None:
        """Return the text of answer.txt, or None if there is none."""
        try:
            path = f"{self._folder}/answer.txt"
            data = await self._sandbox.read_file(path, max_bytes=MAX_ANSWER_BYTES)
        except SandboxTuiError:
            return None
        return data.decode("utf-8", "replace")

    async def copy_out(self, target: Path | None, warn: Callable[[str], None]) -> str | None:
        """Copy the results into a host folder; returns its absolute path, or None if it is empty.

        Args:
            target: the folder; None copies nothing.
            warn: called with a sentence for each thing that was not copied.
        """
        if target is None:
            return None
        try:
            left_behind = await self._sandbox.copy_out(self._folder, target)
        except (SandboxTuiError, OSError) as error:
            warn(f"{NOT_COPIED}{error}")
            return None
        is_copied = target.is_dir() and any(target.iterdir())
        for number, sentence in enumerate(limit_sentences(left_behind)):
            warn(sentence if is_copied or number else f"{NOT_COPIED}{sentence}")
        return str(target.absolute()) if is_copied else None


def limit_sentences(left_behind: list[str]) -> list[str]:
    """Shorten a list to `MAX_SENTENCES` sentences, including the last one, and count the others."""
    if len(left_behind) <= MAX_SENTENCES:
        return left_behind
    more = len(left_behind) - MAX_SENTENCES
    return [
        *left_behind[: MAX_SENTENCES - 1],
        f"{more} more were not copied for similar reasons.",
        left_behind[-1],
    ]
