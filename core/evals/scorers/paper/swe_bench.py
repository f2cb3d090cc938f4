"""Scores a change to a repository with the SWE-bench harness, in the SWE-bench images.

The package `swebench` (extra `swebench`) applies the patch in a fresh container of the task's image
and runs the tests that have to pass: those that failed before, and those that passed already. The
patch is the git diff of the working directory in the model's sandbox; without a sandbox, the diff
in the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import re
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.loaders.reference_task import reference_row
from sandbox_tui.core.evals.optional_packages import missing_extra, require
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.user_functions import MAX_OWN_BYTES
from sandbox_tui.core.evals.worker import WorkerFailed, call_in_worker
from sandbox_tui.core.sandboxes.base import Sandbox

COLUMNS = ("image", "repo", "version", "FAIL_TO_PASS", "PASS_TO_PASS", "log_parser", "eval_type",
           "eval_script")  # fmt: skip
"""Columns of a dataset row that the harness needs, besides the id."""

FETCH_SECONDS = 1800.0
"""Additional time to fetch the image of a task before its tests run."""

_FENCED = re.compile(r"^```[\w+-]*[ \t]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_DIFF = re.compile(r"^(?:diff --git |--- \S)", re.MULTILINE)

_MODEL = "answer"
"""Model name under which the harness files its logs."""


@dataclass(slots=True, kw_only=True)
class SweBench:
    """Runs the task's tests on the patched repository.

    Attributes:
        timeout: seconds for the tests of one task.
        git_timeout: seconds for each git command that determines the changes.
    """

    timeout: int = 1800
    git_timeout: float = 120.0
    name: str = field(default="swe_bench", init=False)

    def check_ready(self) -> None:
        """Raise `ConfigError` if its packages are missing."""
        require("swebench", "The scorer swe_bench", "swebench")

    async def score(self, attempt: Attempt) -> Score:
        """Return 1.0 if every test passes that should.

        Raises:
            ScorerFailed: the harness produced no result, or is not installed.
        """
        row = _row(attempt)
        patch = await self._patch(attempt)
        if not patch.strip():
            return Score(value=0.0, explanation="Nothing was changed.")
        run_id = f"sandbox-tui-{secrets.token_hex(6)}"
        try:
            report = await call_in_worker(
                evaluate,
                row,
                patch,
                run_id,
                self.timeout,
                timeout=self.timeout + FETCH_SECONDS,
                max_bytes=MAX_OWN_BYTES,
            )
        except asyncio.CancelledError:
            await _remove_containers(run_id)
            raise
        except WorkerFailed as error:
            await _remove_containers(run_id)
            if error.missing:
                missing = missing_extra("The scorer swe_bench", "swebench")
                raise ScorerFailed(str(missing)) from error
            raise ScorerFailed(f"The SWE-bench harness failed: {error}.") from error
        return _score(report)

    async def _patch(self, attempt: Attempt) -> str:
        if attempt.sandbox is None:
            return patch_in(attempt.answer or "")
        base = str(attempt.task.metadata.get("base_commit") or "HEAD")
        try:
            return await self._changes(attempt.sandbox, base)
        except SandboxTuiError as error:
            raise ScorerFailed(f"The changes in the repository cannot be read: {error}") from error

    async def _changes(self, sandbox: Sandbox, base: str) -> str:
        git = ["git", "-c", "safe.directory=*", "-c", "core.fileMode=false"]
        for command in (["add", "-A"], ["diff", "--cached", "--binary", base]):
            done = await sandbox.run([*git, *command], timeout=self.git_timeout)
            if done.exit_code != 0:
                words = done.stderr.decode(errors="replace").strip()[-200:].rstrip(".")
                raise ScorerFailed(f"git {command[0]} failed in the sandbox: {words}.")
        return done.stdout.decode(errors="replace")


def patch_in(answer: str) -> str:
    """Return the diff in an answer: the last fenced one, or all from its first line; empty if
    none."""
    fenced = [block for block in _FENCED.findall(answer) if _DIFF.search(block)]
    text = fenced[-1] if fenced else answer
    start = _DIFF.search(text)
    return text[start.start() :].rstrip("\n") + "\n" if start else ""


def _row(attempt: Attempt) -> dict[str, Any]:
    task = attempt.task
    row = reference_row(task) | {"instance_id": task.id, "image": task.image}
    for column in COLUMNS:
        if row.get(column) in (None, ""):
            raise ScorerFailed(f"The task {task.id} has no column {column}, which SWE-bench needs.")
    return {column: row[column] for column in ("instance_id", *COLUMNS)}


def _score(report: dict[str, Any]) -> Score:
    if report.get("resolved"):
        return Score(value=1.0, explanation="All required tests pass.")
    if report.get("infra_failure"):
        reason = report.get("infra_failure_reason", "")
        raise ScorerFailed(f"The harness of SWE-bench found no tests in its log: {reason}.")
    if report.get("timed_out"):
        return Score(value=0.0, explanation="The tests took too long.")
    if not report.get("patch_successfully_applied", True):
        return Score(value=0.0, explanation="The patch does not apply, or no test ran after it.")
    failed = sum(len(kind.get("failure", ())) for kind in report.get("tests_status", {}).values())
    return Score(value=0.0, explanation=f"{failed} required tests fail.")


async def _remove_containers(run_id: str) -> None:
    """Remove the containers that a killed harness left behind."""
    with contextlib.suppress(WorkerFailed):
        await call_in_worker(remove_containers, run_id, timeout=60.0)


def remove_containers(run_id: str) -> None:
    """Remove the harness's containers of one run, whose names contain the run id."""
    docker: Any = importlib.import_module("docker")
    for container in docker.from_env().containers.list(all=True, filters={"name": run_id}):
        container.remove(force=True)


def evaluate(row: dict[str, Any], patch: str, run_id: str, timeout: int) -> dict[str, Any]:
    """Return the harness's report on one patch. Call this in a worker only: it changes directory.

    Raises:
        RuntimeError: there is no report; the message is the harness's last log line.
    """
    harness: Any = importlib.import_module("swebench.harness.run_evaluation")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prediction = {
            "instance_id": row["instance_id"],
            "model_name_or_path": _MODEL,
            "model_patch": patch,
        }
        (folder / "rows.json").write_text(json.dumps([row]))
        (folder / "patches.json").write_text(json.dumps([prediction]))
        os.chdir(folder)  # where the harness keeps its logs
        harness.main(
            dataset_name=str(folder / "rows.json"),
            split="test",
            instance_ids=[row["instance_id"]],
            predictions_path=str(folder / "patches.json"),
            max_workers=1,
            open_file_limit=4096,
            run_id=run_id,
            timeout=timeout,
            rewrite_reports=False,
            modal=False,
            report_dir=str(folder),
        )
        logs = folder / harness.RUN_EVALUATION_LOG_DIR / run_id / _MODEL / row["instance_id"]
        return _report(logs, row["instance_id"])


def _report(folder: Path, task: str) -> dict[str, Any]:
    report = folder / "report.json"
    if report.is_file():
        return json.loads(report.read_text())[task]
    log = folder / "run_instance.log"
    text = log.read_text(errors="replace") if log.is_file() else ""
    if ">>>>> Patch Apply Failed" in text:
        return {"patch_successfully_applied": False}
    if "Test timed out after" in text:
        return {"timed_out": True}
    lines = [line for line in text.splitlines() if line.strip()]
    raise RuntimeError(lines[-1] if lines else "the harness ran no test")
