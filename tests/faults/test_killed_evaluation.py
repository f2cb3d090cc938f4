"""An evaluation whose program is killed again and again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger
from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.integration.conftest import TEST_IMAGE, require
from tests.integration.test_runs import PROGRAM

TASKS = 12
KILLS = 5


def suite(folder: Path) -> Path:
    """A suite of multiplications: a YAML file and its tasks."""
    rows = [
        {"id": f"t{n}", "problem": f"What is {100 + n} * {7 + n}?", "target": (100 + n) * (7 + n)}
        for n in range(TASKS)
    ]
    (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    file = folder / "products.yaml"
    file.write_text("dataset: {path: tasks.jsonl, domain: math}\nscorers: number\n")
    return file


@pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
def test_no_sample_is_lost_or_counted_twice(
    kind: str,
    tmp_path: Path,
    own_home: Path,
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    require(kind)
    server = scripted_server(reply)
    dice = random.Random(7)
    begin = [
        *("run", str(suite(tmp_path)), "--model", "scripted", "--base-url", server.url),
        *("--sandbox", kind, "--image", TEST_IMAGE),
    ]
    shared = ["--headless", "--concurrency", "3"]
    environment = {**os.environ, "SANDBOX_TUI_HOME": str(own_home)}
    for kill in range(KILLS):
        what = begin if kill == 0 else ["resume"]
        program = subprocess.Popen(
            [PROGRAM, "eval", *what, *shared], stdout=subprocess.PIPE, env=environment
        )
        assert program.stdout is not None
        for _ in range(dice.randint(1, 4)):
            program.stdout.readline()
        program.send_signal(signal.SIGKILL)
        program.wait()
        program.stdout.close()
    done = subprocess.run(
        [PROGRAM, "eval", "resume", *shared], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    store = Store(own_home / "sessions.db")
    found = eval_ledger.summary(store)
    assert (found.status, found.over) == ("finished", 2 * TASKS)
    results = eval_ledger.results(store, found.info.id)
    assert Counter(one.status for one in results) == {"scored": 2 * TASKS}
    for one in results:
        right = one.mode == "sandbox" or (int(one.task[1:]) + 7) % 2 == 0
        assert one.score == float(right), one
        assert store.run(one.run_id).outcome == "submitted"
    assert len({one.run_id for one in results}) == 2 * TASKS
    store.close()


@pytest.mark.parametrize("form", ["--headless", "--json"])
def test_a_closed_pipe_ends_the_program_cleanly(
    form: str,
    tmp_path: Path,
    own_home: Path,
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    """`sandbox-tui eval run ... | head -1`: it stops in order, and can be resumed."""
    closed = threading.Event()

    def answer(request: dict[str, Any]) -> s.Scripted:
        closed.wait()
        return reply(request)

    server = scripted_server(answer)
    command = ["eval", "run", str(suite(tmp_path)), "--model", "m", "--base-url", server.url]
    program = subprocess.Popen(
        [PROGRAM, *command, "--mode", "vanilla", "--concurrency", "2", form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "SANDBOX_TUI_HOME": str(own_home)},
    )
    assert program.stdout is not None
    assert program.stderr is not None
    if form == "--headless":
        program.stdout.readline()  # announces the evaluation
    program.stdout.close()
    closed.set()
    with program.stderr:
        words = program.stderr.read().decode()
    assert "Traceback" not in words
    assert program.wait() == 128 + signal.SIGPIPE
    with Store(own_home / "sessions.db") as store:
        found = eval_ledger.summary(store)
        assert (found.status, found.running) == ("interrupted", False)
        assert found.stopped_because == "Its output could no longer be written."
        left = {one.status for one in eval_ledger.results(store, found.info.id) if not one.over}
        assert left == {"pending"}
