"""A training whose program is killed at random times.

SANDBOX_TUI_KILLS sets how many times, and SANDBOX_TUI_KILLS_SEED seeds the times. On a busy
machine, SANDBOX_TUI_KILLS_LATEST sets the latest time, in seconds after a program's first line.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import rollouts, trainings
from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.faults.remains import no_process_remains, nothing_remains
from tests.integration.conftest import TEST_IMAGE, require

PROGRAM = Path(sys.executable).with_name("sandbox-tui")
KILLS = int(os.environ.get("SANDBOX_TUI_KILLS", "3"))
SEED = int(os.environ.get("SANDBOX_TUI_KILLS_SEED", "1"))
STEPS = 4 + KILLS
GRACE = 7
"""Seconds; unique to this test, so that it identifies the containers."""

LATEST = {"collect": 3.0, "trl": 12.0}
"""Latest time of the kill, in seconds after the program's first line, by engine."""

ENGINES = {
    "collect": 'engine: collect\nmodel: scripted\nserver: {{base_url: "{url}"}}',
    "trl": "engine: trl\nmodel: model\nthreads: 1\ncheckpoints: {{every: 1}}",
}
RECIPE = """
{engine}
data: {{train: train.jsonl}}
episodes: {{sandbox: {kind}, image: {image}, grace: {grace}, limits: {{max_steps: {turns}}}}}
training: {{steps: {steps}, prompts: 2, group: 2, reply_tokens: {tokens}}}
"""


def write(folder: Path, engine: str, url: str, kind: str) -> Path:
    """A recipe with its tasks and, if the engine updates one, its model."""
    rows = [
        {"id": f"t{n}", "problem": f"What is {n} * 3?", "target": n * 3, "scorer": "number"}
        for n in range(20, 25)
    ]
    (folder / "train.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    if engine == "trl":
        from tests.untrained_model import untrained_policy

        policy = untrained_policy(context=16384)
        policy.model.save_pretrained(folder / "model")
        policy.tokenizer.save_pretrained(folder / "model")
    recipe = folder / "recipe.yaml"
    recipe.write_text(
        RECIPE.format(
            engine=ENGINES[engine].format(url=url),
            kind=kind,
            image=TEST_IMAGE,
            grace=GRACE,
            turns=5 if engine == "collect" else 2,
            steps=STEPS,
            tokens=8 if engine == "trl" else 2048,
        )
    )
    return recipe


def train(home: Path, *arguments: str, kill_after: float | None = None) -> int:
    """Run the program; returns its exit code.

    Kills it `kill_after` seconds after its first line, which it writes when its engine is ready and
    no step has started.
    """
    program = subprocess.Popen(
        [PROGRAM, "rl", "train", *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, "SANDBOX_TUI_HOME": str(home), "TMPDIR": str(home.parent)},
    )
    assert program.stdout is not None
    with program.stdout as lines:
        lines.readline()
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.communicate(timeout=kill_after)
            return program.wait()
        program.send_signal(signal.SIGKILL)
        return program.wait()


def watched(home: Path) -> list[int]:
    """The steps that `rl watch` reports."""
    output = subprocess.run(
        [PROGRAM, "rl", "watch", "last", "--json"],
        env={**os.environ, "SANDBOX_TUI_HOME": str(home)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return [json.loads(line)["step"] for line in output.stdout.splitlines()]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["bubblewrap", "docker"])
async def test_a_killed_training_resumes_and_leaves_nothing_behind(
    kind: str,
    engine: str,
    tmp_path: Path,
    own_home: Path,
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    require(kind)
    if engine == "trl" and find_spec("trl") is None:
        pytest.skip("needs the extra trl")
    recipe = write(tmp_path, engine, scripted_server(reply).url, kind)
    dice = random.Random(SEED)
    kills, has_begun, code = 0, False, 0
    for _ in range(KILLS):
        what = ("--resume", "last") if has_begun else (str(recipe),)
        moment = dice.uniform(0, float(os.environ.get("SANDBOX_TUI_KILLS_LATEST", LATEST[engine])))
        code = train(own_home, *what, kill_after=moment)
        kills += code == -signal.SIGKILL
        with Store(own_home / "sessions.db") as store:
            started = trainings.summaries(store)
            has_begun = bool(started)
        reached = started[0].last_step if started else None
        print(f"{engine} {kind}: {moment:.2f} s, exit code {code}, last step {reached}")
        if started and started[0].status == "finished":  # even if it was killed while exiting
            code = 0
            break
    assert kills
    if code:
        code = train(own_home, *(("--resume", "last") if has_begun else (str(recipe),)))
    with Store(own_home / "sessions.db") as store:
        found = trainings.summary(store)
        assert (code, found.status) == (0, "finished")
        assert [one.step for one in trainings.steps_of(store, found.id)] == [*range(1, STEPS + 1)]
        counted = rollouts.rollouts_of(store, found.id)
        assert Counter(one.step for one in counted) == dict.fromkeys(range(1, STEPS + 1), 4)
        assert all(one.reward == (1.0 if engine == "collect" else 0.0) for one in counted)
    assert watched(own_home) == [*range(1, STEPS + 1)]
    await no_process_remains(f"SANDBOX_TUI_HOME={own_home}")
    await nothing_remains(kind, tmp_path, GRACE)


@pytest.mark.parametrize("form", ["text", "--json"])
def test_a_closed_pipe_ends_the_program_cleanly(
    form: str,
    tmp_path: Path,
    own_home: Path,
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    """`sandbox-tui rl train recipe.yaml | head -1`: it stops in order, and can be resumed."""
    closed = threading.Event()

    def answer(request: dict[str, Any]) -> s.Scripted:
        closed.wait()
        return reply(request)

    server = scripted_server(answer)
    recipe = write(tmp_path, "collect", server.url, "bubblewrap")
    recipe.write_text(recipe.read_text().replace("{sandbox:", "{mode: text, sandbox:"))
    program = subprocess.Popen(
        [PROGRAM, "rl", "train", recipe, *(("--json",) if form == "--json" else ())],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "SANDBOX_TUI_HOME": str(own_home)},
    )
    assert program.stdout is not None
    assert program.stderr is not None
    if form == "text":
        program.stdout.readline()  # announces the training
    program.stdout.close()
    closed.set()
    with program.stderr:
        words = program.stderr.read().decode()
    progress = ("training ", "step ")
    assert [line for line in words.splitlines() if not line.startswith(progress)] == []
    assert program.wait() == 128 + signal.SIGPIPE
    with Store(own_home / "sessions.db") as store:
        found = trainings.summary(store)
        assert (found.status, found.running) == ("stopped", False)
        assert found.error == "Its output could no longer be written."
        assert found.last_step < STEPS
