"""What a run leaves behind: the answer, and the files of its output directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .errors import SandboxTuiError
from .sandboxes.base import Sandbox

ANSWER_BYTES = 64 * 1024


class Results:
    """The output directory of a sandbox.

    Args:
        sandbox: which one.
        folder: the directory (text path).
    """

    def __init__(self, sandbox: Sandbox, folder: str) -> None:
        self._sandbox = sandbox
        self._folder = folder

    async def answer(self) -> str | None:
        """The text of answer.txt, None where there is none."""
        try:
            path = f"{self._folder}/answer.txt"
            data = await self._sandbox.read_file(path, max_bytes=ANSWER_BYTES)
        except SandboxTuiError:
            return None
        return data.decode("utf-8", "replace")

    async def hand_over(self, target: Path | None, warn: Callable[[str], None]) -> str | None:
        """Copy everything into a host folder, and name it; None where that was not possible.

        Args:
            target: the folder; None copies nothing.
            warn: gets a sentence for each thing that was left behind.
        """
        if target is None:
            return None
        try:
            left_behind = await self._sandbox.copy_out(self._folder, target)
        except (SandboxTuiError, OSError) as error:
            warn(f"The results could not be copied out: {error}")
            return None
        for sentence in left_behind:
            warn(sentence)
        return str(target)
