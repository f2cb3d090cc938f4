"""Benchmarks report the memory of what they measure, not their own."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.cost import assert_growth
from tests.perf.headless_calls import whole_process
from tests.perf.memory import most_resident

MUCH = 256 << 20


@pytest.fixture
def large() -> Iterator[bytearray]:
    """Hold much memory in this process, as after a benchmark that needs it."""
    held = bytearray(MUCH)
    held[:: 1 << 12] = bytes(len(held[:: 1 << 12]))  # touches every page, so that it is resident
    assert most_resident() > MUCH
    yield held
    held.clear()


def python(code: str) -> tuple[float, float]:
    return whole_process([sys.executable, "-S", "-I", "-c", code], {"A": "b"}, lambda said: True)


def test_a_small_process_is_small_beside_a_large_one(large: bytearray) -> None:
    _, most = python("pass")
    assert 1 << 20 < most < 64 << 20


def test_what_a_process_had_for_a_moment_counts() -> None:
    _, most = python("x = bytearray(100 << 20); x[::4096] = bytes(len(x[::4096])); del x")
    assert 100 << 20 < most < 164 << 20


def test_a_process_tells_of_itself_alone(large: bytearray) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        assert process.submit(most_resident).result() < MUCH


def test_output_and_exit_code_are_the_programs_own() -> None:
    received: list[str] = []
    whole_process(
        [sys.executable, "-c", "import os; print(os.environ['A'])"],
        {"A": "b"},
        lambda said: received.append(said) is None,
    )
    assert received == ["b\n"]
    with pytest.raises(subprocess.CalledProcessError) as caught:
        python("print('why'); raise SystemExit(3)")
    assert (caught.value.returncode, caught.value.output) == (3, "why\n")


def test_quadratic_work_is_distinguished_from_linear_work() -> None:
    def linear(size: int) -> None:
        sum(range(size * 10_000))

    def quadratic(size: int) -> None:
        for _ in range(size):
            linear(size)

    assert_growth(linear, 1, 8, below=24)
    with pytest.raises(AssertionError, match="8 times the input takes"):
        assert_growth(quadratic, 8, 64, below=24)
