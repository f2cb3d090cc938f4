"""Scores a program by tests that the model has not seen, in a sandbox that it has not touched.

Only the program and the calls go into that sandbox. The expected results stay outside, so that a
program cannot find them there and cheat.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, cast

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.sandboxes.base import Sandbox

MAX_PROGRAM_BYTES = 200_000
MAX_RESULT_BYTES = 2_000_000

_FENCED = re.compile(
    r"^[ \t]*```[\w+.-]*[ \t]*\n(.*?)(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)

HARNESS = """\
import json, os, sys, types

os.dup2(os.open(os.devnull, os.O_RDWR), 1)
with open("calls.json", encoding="utf-8") as file:
    name, calls = json.load(file)
with open(name, encoding="utf-8") as file:
    source = file.read()
module = types.ModuleType(name.removesuffix(".py"))
sys.modules[module.__name__] = module
results = []
try:
    exec(compile(source, name, "exec"), module.__dict__)
except BaseException as error:
    results = [{"broken": type(error).__name__ + ": " + str(error)[:200]}]
    calls = []
for call in calls:
    try:
        results.append({"value": json.loads(json.dumps(eval(call, module.__dict__)))})
    except BaseException as error:
        results.append({"raises": type(error).__name__})
with open("results.json", "w", encoding="utf-8") as file:
    json.dump(results, file)
os._exit(0)
"""


@dataclass(slots=True, kw_only=True)
class HiddenTestsScorer:
    """1 if every hidden call of the program gives its expected result.

    The answer is the text of the program, fenced or bare; or, in a sandbox, the path of the file
    that holds it. The task's metadata have `program` (the file's name), `calls` (Python expressions
    evaluated in its module) and `expected` (for each call, JSON-compatible `{"value": ...}` or
    `{"raises": name of the exception}`).

    Attributes:
        timeout: seconds for all calls together.
    """

    name: str = field(default="hidden_tests", init=False)
    timeout: float = 30.0

    async def score(self, attempt: Attempt) -> Score:
        """Run the program's hidden tests."""
        if attempt.fresh_sandbox is None:
            raise ScorerFailed("hidden_tests needs a sandbox, and there is none.")
        program = await _program(attempt)
        if not program.strip():
            return Score(value=0, explanation="There is no program in the answer.")
        data = program.encode("utf-8", "replace")
        if len(data) > MAX_PROGRAM_BYTES:
            return Score(value=0, explanation="The program is too long.")
        metadata = attempt.task.metadata
        async with attempt.fresh_sandbox() as sandbox:
            results = await self._results(sandbox, metadata["program"], data, metadata["calls"])
        return _compared(results, metadata["calls"], metadata["expected"])

    async def _results(
        self, sandbox: Sandbox, name: str, program: bytes, calls: list[str]
    ) -> list[Any] | str:
        """Return the result of each call, or a sentence about why there are none."""
        folder = f"{sandbox.spec.working_dir}/hidden-tests"
        await sandbox.write_file(f"{folder}/{name}", program)
        await sandbox.write_file(f"{folder}/calls.json", json.dumps([name, calls]).encode())
        await sandbox.write_file(f"{folder}/harness.py", HARNESS.encode())
        done = await sandbox.run(["python3", "harness.py"], cwd=folder, timeout=self.timeout)
        if done.exit_code == 127:
            raise ScorerFailed("The image has no python3, which hidden tests need.")
        if done.timed_out:
            return f"The program did not end within {self.timeout:g} seconds."
        try:
            data = await sandbox.read_file(f"{folder}/results.json", max_bytes=MAX_RESULT_BYTES)
            results: Any = json.loads(data)
        except (FileRefused, ValueError, RecursionError):
            return "The program exited before the tests finished."
        if not isinstance(results, list):
            return "The program corrupted the test results."
        return cast(list[Any], results)


def _compared(results: list[Any] | str, calls: list[str], expected: list[Any]) -> Score:
    if isinstance(results, str):
        return Score(value=0, explanation=results)
    if len(results) == 1 and isinstance(results[0], dict) and "broken" in results[0]:
        why = f"The program cannot be loaded: {results[0]['broken']}"
        return Score(value=0, explanation=why[:300])
    if len(results) != len(expected):
        return Score(value=0, explanation="The program exited before the tests finished.")
    wrong = [call for call, a, b in zip(calls, results, expected, strict=True) if a != b]
    passed = f"{len(calls) - len(wrong)} of {len(calls)} hidden tests pass"
    if wrong:
        return Score(value=0, explanation=f"{passed}; first failure: {wrong[0][:160]}")
    return Score(value=1, explanation=f"{passed}.")


async def _program(attempt: Attempt) -> str:
    """Return the program in the answer; empty if there is none."""
    answer = (attempt.answer or "").replace("\r\n", "\n")
    name = attempt.task.metadata["program"]
    path = answer.strip()
    named = re.fullmatch(r"[\w./-]+", path) and PurePosixPath(path).name == name
    if named and attempt.sandbox is not None:
        try:
            data = await attempt.sandbox.read_file(path, max_bytes=MAX_PROGRAM_BYTES + 1)
        except FileRefused:
            return ""
        return data.decode("utf-8", "replace")
    blocks = _FENCED.findall(answer)
    return max(blocks, key=len) if blocks else answer
