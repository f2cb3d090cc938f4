"""Scores with a command from the suite, run in a sandbox that no model has touched."""

from __future__ import annotations

import math
import posixpath
from dataclasses import dataclass, field

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.run.input_files import write_files
from sandbox_tui.core.sandboxes.base import ExecResult, Sandbox

ANSWER_FILE = "answer.txt"
TARGET_FILE = "target.txt"


@dataclass(slots=True, kw_only=True)
class Command:
    """Runs `bash -c COMMAND` in the working directory of a fresh sandbox, with the answer in
    answer.txt and the target in target.txt there, and the task's files in the input directory.

    Exit code 0 scores 1, or the number from 0 to 1 that is alone on the last line of output; any
    other exit code scores 0.

    Attributes:
        command: the bash command.
        setup: commands to run first, which do not depend on the answer, such as an installation.
        timeout: seconds; a command that takes longer scores 0.
    """

    command: str
    setup: tuple[str, ...] = ()
    timeout: float = 120.0
    name: str = field(default="command", init=False)

    async def score(self, attempt: Attempt) -> Score:
        """Score the answer by the command's exit code and output.

        Raises:
            ScorerFailed: the sandbox or its setup failed, or the program does not exist.
        """
        if attempt.answer is None:
            return Score(value=0.0, explanation=attempt.no_answer)
        if attempt.fresh_sandbox is None:
            raise ScorerFailed("The scorer command needs a sandbox, and there is none.")
        try:
            async with attempt.fresh_sandbox() as sandbox:
                await self._prepare(sandbox, attempt)
                return self._score(await self._run(sandbox, self.command))
        except ScorerFailed:
            raise
        except SandboxTuiError as error:
            raise ScorerFailed(f"The sandbox of the scorer failed: {error}") from error

    async def _prepare(self, sandbox: Sandbox, attempt: Attempt) -> None:
        await write_files(attempt.task.files, sandbox, sandbox.spec.input_dir)
        for command in (*attempt.task.setup, *self.setup):
            done = await self._run(sandbox, command)
            if done.exit_code != 0:
                raise ScorerFailed(f"{command!r:.100} failed: {_last_line(done.stderr)}.")
        folder = sandbox.spec.working_dir
        await sandbox.write_file(
            posixpath.join(folder, ANSWER_FILE), (attempt.answer or "").encode(errors="replace")
        )
        await sandbox.write_file(posixpath.join(folder, TARGET_FILE), attempt.task.target.encode())

    async def _run(self, sandbox: Sandbox, command: str) -> ExecResult:
        return await sandbox.run(["bash", "-c", command], timeout=self.timeout)

    def _score(self, done: ExecResult) -> Score:
        if done.timed_out:
            return Score(value=0.0, explanation=f"The command took over {self.timeout:g} s.")
        if done.exit_code in (None, 126, 127):
            raise ScorerFailed(f"The command did not run: {_last_line(done.stderr)}.")
        if done.exit_code != 0:
            words = _last_line(done.stderr) or _last_line(done.stdout)
            return Score(value=0.0, explanation=f"Exit code {done.exit_code}: {words}.")
        value = _number(_last_line(done.stdout))
        if value is None:
            return Score(value=1.0, explanation="Exit code 0.")
        if not 0 <= value <= 1:
            raise ScorerFailed(f"The command printed {value:g}, which is not from 0 to 1.")
        return Score(value=value, explanation=f"The command printed {value:g}.")


def _last_line(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[-1].strip()[:200].rstrip(".") if lines else ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
