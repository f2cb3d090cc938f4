"""Functions in a worker process: results, failures, limits, and nothing left running."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.evals import worker_process
from sandbox_tui.core.evals.worker import MAX_BYTES, WorkerCall, WorkerFailed, call_in_worker
from sandbox_tui.core.evals.worker_process import idle_workers


def echo(*values: Any) -> Any:
    print("noise on stdout")
    os.write(1, b"and below it\n")
    return list(values)


def fail(kind: str) -> Any:
    if kind == "raise":
        raise ValueError("it is wrong\nin two lines")
    if kind == "exit":
        sys.exit(3)
    if kind == "die":
        os.kill(os.getpid(), 9)
    if kind == "import":
        import no_such_package.part  # type: ignore[import-not-found] # noqa: F401
    if kind == "recurse":
        return fail("recurse")
    if kind == "memory":
        return len(bytearray(8 << 30))
    return object()  # not JSON-compatible


def hang(file: str) -> None:
    """Start a child process, write both pids to a file, and loop forever, ignoring SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "1000"])
    Path(f"{file}.new").write_text(f"{os.getpid()} {child.pid}")
    Path(f"{file}.new").rename(file)
    while True:
        pass


def spin() -> None:
    while True:
        pass


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def until_gone(file: Path) -> None:
    for pid in map(int, file.read_text().split()):
        while is_alive(pid):
            await asyncio.sleep(0.01)


async def test_a_result_comes_back_whatever_is_printed() -> None:
    values = [1, "ä😀\ud800\n", None, {"a": [True, 0.5]}]
    assert await call_in_worker(echo, *values, timeout=60) == values


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("raise", "fail failed: ValueError: it is wrong"),
        ("exit", "SystemExit: 3"),
        ("die", "it ended with status -9"),
        ("recurse", "RecursionError"),
        ("memory", "MemoryError"),
        ("object", "TypeError"),
    ],
)
async def test_failures_are_reported(kind: str, words: str) -> None:
    with pytest.raises(WorkerFailed) as caught:
        await call_in_worker(fail, kind, timeout=60)
    assert words in str(caught.value)
    assert caught.value.missing == ""


async def test_a_missing_package_is_named() -> None:
    with pytest.raises(WorkerFailed) as caught:
        await call_in_worker(fail, "import", timeout=60)
    assert caught.value.missing == "no_such_package"


async def test_a_call_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    with pytest.raises(WorkerFailed, match="hang took longer than 3 s"):
        await call_in_worker(hang, str(tmp_path / "pids"), timeout=3)
    await until_gone(tmp_path / "pids")


async def test_a_cancelled_call_ends_its_worker(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    call = asyncio.ensure_future(call_in_worker(hang, str(file), timeout=60))
    while not file.exists():
        await asyncio.sleep(0.01)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await until_gone(file)


async def test_calls_run_beside_each_other_and_the_loop_continues() -> None:
    calls = [call_in_worker(echo, number, timeout=60) for number in range(6)]
    assert await asyncio.gather(*calls) == [[number] for number in range(6)]


def identity(*_arguments: Any) -> int:
    return os.getpid()


@pytest.fixture
def no_idle_workers() -> Iterator[None]:
    idle_workers.end()
    yield
    idle_workers.end()


@pytest.mark.usefixtures("no_idle_workers")
async def test_calls_that_share_a_worker_use_it_one_after_the_other() -> None:
    first = await call_in_worker(identity, timeout=60, share="a")
    assert await call_in_worker(identity, timeout=60, share="a") == first
    others = {
        await call_in_worker(identity, timeout=60),
        await call_in_worker(identity, timeout=60, share="b"),
        await call_in_worker(identity, timeout=60, share="a", max_bytes=2 << 30),
    }
    assert len(others - {first}) == 3
    with pytest.raises(WorkerFailed):
        await call_in_worker(fail, "raise", timeout=60, share="a")
    assert await call_in_worker(identity, timeout=60, share="a") != first


@pytest.mark.usefixtures("no_idle_workers")
async def test_a_worker_that_ended_while_it_was_idle_is_replaced() -> None:
    first = await call_in_worker(identity, timeout=60, share="a")
    os.kill(first, 9)
    assert await call_in_worker(identity, timeout=60, share="a") not in (first, 0)


@pytest.mark.usefixtures("no_idle_workers")
async def test_a_worker_retires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "MAX_CALLS", 2)
    seen = [await call_in_worker(identity, timeout=60, share="a") for _ in range(4)]
    assert seen[0] == seen[1] != seen[2] == seen[3]
    assert not is_alive(seen[0])


def test_a_worker_ends_by_itself_where_nobody_else_ends_it() -> None:
    """The program that would end it may have been killed."""
    request = {"module": __name__, "function": "spin", "arguments": [], "seconds": 0}
    worker = subprocess.Popen(
        [sys.executable, "-m", worker_process.__name__, str(MAX_BYTES)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert worker.stdin is not None
    with worker.stdin:
        worker.stdin.write(json.dumps(request).encode() + b"\n")
        worker.stdin.flush()
        assert worker.wait() == -signal.SIGPROF


def test_idle_workers_end_with_the_program() -> None:
    script = (
        "import asyncio\n"
        "from sandbox_tui.core.evals.worker import call_in_worker\n"
        "from tests.unit.core.evals.test_worker import identity\n"
        "print(asyncio.run(call_in_worker(identity, timeout=60, share='a')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not is_alive(int(done.stdout))
    assert done.stderr == ""


def test_a_call_that_was_ended_before_it_began_does_not_run_on(tmp_path: Path) -> None:
    call = WorkerCall(hang, (str(tmp_path / "pids"),), timeout=60)
    call.kill()
    began = time.monotonic()
    with pytest.raises(WorkerFailed):
        call.run()
    assert time.monotonic() - began < 60
