"""Software: a second program recomputes every expected result, and every bug changes one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.software.catalogue import Program, renamed
from sandbox_tui.core.evals.pocket.software.families import PROGRAMS
from sandbox_tui.core.evals.pocket.software.repair import outcomes
from sandbox_tui.core.evals.task import Task
from tests.unit.core.evals.pocket import program_oracles
from tests.unit.core.evals.pocket.samples import SEEDS, tasks_of

EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.source)


@EACH
def test_a_second_program_comes_to_the_same_results(program: Program) -> None:
    oracle = getattr(program_oracles, program.source.upper())
    for seed in range(6):
        draw = Draw(f"oracle/{seed}")
        right = program.with_constants(program.text(), draw)
        constants = [line for line in right.splitlines() if line.split(" ")[0] in program.constants]
        assert len(constants) == len(program.constants)
        calls = program.calls(draw)
        other = outcomes("\n".join(constants) + oracle, calls)
        for call, ours, theirs in zip(calls, outcomes(right, calls), other, strict=True):
            assert ours == theirs, (call, ours, theirs, constants)


@EACH
def test_every_bug_shows_and_stands_in_one_place(program: Program) -> None:
    assert len(program.bugs) >= 7
    for good, bad in program.bugs:
        assert program.text().count(good) == 1, good
        seen = 0
        for seed in range(4):
            draw = Draw(f"bugs/{seed}")
            right = program.with_constants(program.text(), draw)
            calls = program.calls(draw)
            seen += outcomes(right.replace(good, bad), calls) != outcomes(right, calls)
        assert seen, (good, bad)


@EACH
def test_names_are_replaced_everywhere(program: Program) -> None:
    names = {name: others[0] for name, others in program.renames.items()}
    text = renamed(program.text(), names)
    calls = program.calls(Draw("names"))
    assert outcomes(text, [renamed(c, names) for c in calls]) == outcomes(program.text(), calls)
    assert all(f"def {name}(" not in text for name in names)


def all_tasks() -> list[Task]:
    return [task for seed in SEEDS for task in tasks_of("software", seed)]


def test_the_broken_program_fails_and_the_target_passes() -> None:
    for task in all_tasks():
        calls, expected = task.metadata["calls"], task.metadata["expected"]
        assert len(calls) == len(expected) >= 20
        broken = task.files[task.metadata["program"]].decode()
        assert outcomes(task.target, calls) == expected
        wrong = sum(a != b for a, b in zip(outcomes(broken, calls), expected, strict=True))
        assert wrong >= 1, task.id
        assert broken != task.target


def test_docstrings_stay_as_they_are() -> None:
    for task in all_tasks():
        broken = task.files[task.metadata["program"]].decode()
        assert broken.split('"""')[1] == task.target.split('"""')[1]


def run_tests(folder: Path, module: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "unittest", f"test_{module}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("place", range(0, 50, 4))
def test_the_visible_tests_fail_and_pass_with_the_target(tmp_path: Path, place: int) -> None:
    task = tasks_of("software", 0)[place]
    for name, content in task.files.items():
        (tmp_path / name).write_bytes(content)
    name = task.metadata["program"]
    module = name.removesuffix(".py")
    failed = run_tests(tmp_path, module)
    assert failed.returncode == 1
    assert "FAILED" in failed.stderr
    count = failed.stderr.count("FAIL: ") + failed.stderr.count("ERROR: ")
    assert 1 <= count <= 6
    (tmp_path / name).write_text(task.target)
    (tmp_path / "__pycache__" / "x").parent.mkdir(exist_ok=True)
    for stale in (tmp_path / "__pycache__").glob("*.pyc"):
        stale.unlink()
    passed = run_tests(tmp_path, module)
    assert passed.returncode == 0, passed.stderr
