"""Scores instructions that a program can check, with the checks of IFBench (arXiv 2507.02833).

The checks come from the package if-verifiable (extra `ifbench`), or from a clone of IFBench that
`$IFBENCH_PATH` names. The target is JSON: `instruction_id_list`, and `kwargs` for each. An answer
scores 1 if it follows every instruction. The loose reading accepts any of five variants of the
answer: unchanged, without asterisks, without its first line, its last, or both. These are the
reference's rules. Unlike the reference, an instruction that the checks do not know, or missing
data, is a scorer failure rather than a wrong answer.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from sandbox_tui.core.evals.optional_packages import missing_extra, require
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.scorers.boxed import without_thinking
from sandbox_tui.core.evals.worker import WorkerFailed, call_in_worker

CLONE_VARIABLE = "IFBENCH_PATH"

_CORPORA = "punkt_tab stopwords averaged_perceptron_tagger_eng"


@dataclass(slots=True, kw_only=True)
class IFBench:
    """Checks whether an answer follows its instructions.

    Attributes:
        reading: loose (five variants of the answer) or strict (the answer unchanged).
        timeout: seconds for one answer.
    """

    reading: Literal["loose", "strict"] = "loose"
    timeout: float = 120.0
    name: str = field(default="ifbench", init=False)

    def check_ready(self) -> None:
        """Raise `ConfigError` if neither the checks nor a clone of them is available."""
        if not os.environ.get(CLONE_VARIABLE):
            require("if_verifiable", "The scorer ifbench", "ifbench")

    async def score(self, attempt: Attempt) -> Score:
        """Return 1.0 if all instructions are followed.

        Raises:
            ScorerFailed: the checks are not installed, or cannot check this task.
        """
        instructions = _instructions(attempt)
        text = without_thinking(attempt.answer or "")
        if not text:
            return Score(value=0.0, explanation=attempt.no_answer)
        clone = os.environ.get(CLONE_VARIABLE, "")
        readings = loose_readings(text) if self.reading == "loose" else [text]
        try:
            missed = await call_in_worker(
                missed_instructions,
                clone,
                instructions,
                readings,
                attempt.task.problem,
                timeout=self.timeout,
                share=f"{self.name} {clone}",
            )
        except WorkerFailed as error:
            raise _failure(error, clone) from error
        if missed:
            return Score(value=0.0, explanation=f"Not followed: {', '.join(missed)}.")
        return Score(value=1.0, explanation=f"All {len(instructions)} instructions are followed.")


def loose_readings(text: str) -> list[str]:
    """Return the variants of an answer; at least one of them has to follow each instruction."""
    lines = text.split("\n")
    return [
        text,
        text.replace("*", ""),
        "\n".join(lines[1:]).strip(),
        "\n".join(lines[:-1]).strip(),
        "\n".join(lines[1:-1]).strip(),
    ]


def _instructions(attempt: Attempt) -> list[tuple[str, dict[str, Any]]]:
    """Return the id and arguments of each instruction, from the target or the columns of
    IFBench_test."""
    try:
        fields: Any = (
            json.loads(attempt.task.target) if attempt.task.target else attempt.task.metadata
        )
        names, arguments = fields["instruction_id_list"], fields["kwargs"]
        return [
            (str(name), {key: value for key, value in named.items() if value is not None})
            for name, named in zip(names, arguments, strict=True)
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ScorerFailed(
            f"The target of task {attempt.task.id} is not JSON with instruction_id_list and kwargs."
        ) from error


def _failure(error: WorkerFailed, clone: str) -> ScorerFailed:
    if "nltk" in str(error).lower() and "Resource" in str(error):
        return ScorerFailed(
            f"The checks of IFBench need data: python -m nltk.downloader {_CORPORA}."
        )
    if error.missing and clone:
        return ScorerFailed(f"The clone of IFBench at {clone} needs the package {error.missing}.")
    if error.missing:
        return ScorerFailed(f"{missing_extra('The scorer ifbench', 'ifbench')}")
    return ScorerFailed(f"The checks of IFBench failed: {error}.")


def missed_instructions(
    clone: str, instructions: list[tuple[str, dict[str, Any]]], readings: list[str], prompt: str
) -> list[str]:
    """Return the ids of the instructions that no reading follows. Call this in a worker only.

    Raises:
        LookupError: an instruction is unknown, or data is missing.
    """
    checks = _checks(clone)
    missed: list[str] = []
    for name, arguments in instructions:
        if name not in checks:
            raise LookupError(f"there is no check {name}")
        check = checks[name](name)
        check.build_description(**arguments)
        if "prompt" in (check.get_instruction_args() or {}):
            check.build_description(prompt=prompt)
        if not any(_follows(check, reading) for reading in readings if reading.strip()):
            missed.append(name)
    return missed


def _follows(check: Any, reading: str) -> bool:
    try:
        return bool(check.check_following(reading))
    except Exception as error:
        if type(error) is LookupError:  # nltk raises it if its data is missing
            raise LookupError("Resource of nltk is missing") from error
        return False  # the answer lacks the form that the check expects


def _checks(clone: str) -> dict[str, Any]:
    nltk: Any = importlib.import_module("nltk")
    nltk.download = _no_download  # the checks download data on import
    if clone:
        sys.path.insert(0, str(Path(clone).expanduser()))
        registry: Any = importlib.import_module("instructions_registry")
    else:
        _skip_package_start("if_verifiable")
        registry = importlib.import_module("if_verifiable.ifbench.instructions_registry")
    return cast(dict[str, Any], registry.INSTRUCTION_DICT)


def _no_download(*_args: object, **_named: object) -> bool:
    return False


def _skip_package_start(name: str) -> None:
    """Make a package's modules importable without its `__init__`, which loads `datasets` (2 s)."""
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError(f"No module named {name!r}")
    package = types.ModuleType(name)
    package.__spec__ = spec
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules[name] = package
