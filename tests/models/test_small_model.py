"""A real small model, without native tool calls, works in real sandboxes.

What it solves is printed, not asserted, since that depends on the model. The tests assert what
depends on the program: calls are requested and executed, replies stream, the run ends, its record
replays.

    SMALL_MODEL_URL=http://127.0.0.1:8080/v1 pytest -s tests/models
"""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import replay
from tests.integration.conftest import TEST_IMAGE, require
from tests.integration.test_runs import only, settings, watch

URL = os.environ.get("SMALL_MODEL_URL", "")
TASK = (
    "The input directory holds log.txt. Find the line with the word ERROR in it, and write that "
    "line to the answer file."
)
LINE = "ERROR disk 7 is full"
LOG = f"ok 1\nok 2\n{LINE}\nok 3\n"

pytestmark = pytest.mark.skipif(not URL, reason="no model is served: SMALL_MODEL_URL is not set")


@pytest.mark.parametrize(
    ("kind", "mode"),
    list(itertools.product(["bubblewrap", "docker"], ["auto", "json_schema", "text"])),
)
async def test_a_small_task(
    kind: str, mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    require(kind)
    given = {
        "model.name": "small",
        "model.base_url": URL,
        "model.tool_calls": mode,
        "model.temperature": 0.0,
        "limits.max_steps": 6,
        "limits.max_tokens": 300,
    }
    if kind == "docker":
        given["sandbox.image"] = TEST_IMAGE
    request = RunRequest(
        task=TASK,
        settings=settings(kind, **given),
        files={"log.txt": LOG.encode()},
        output=tmp_path / "out",
    )
    seen, store, run_id = await watch(request, tmp_path)
    end = seen[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason in ("submitted", "max_steps", "repeated_calls"), end.error
    assert only(e.CallFinished, seen), "the model never used its computer"
    assert all(event.call.family for event in only(e.CallProposed, seen))
    assert len(only(e.ModelDelta, seen)) > len(only(e.ModelReplied, seen)), "it streams"
    chosen = [event.format.mode for event in only(e.ToolFormatChosen, seen)]
    assert chosen[0] in ("text", "json_schema") if mode == "auto" else chosen == [mode]
    assert list(replay(store, run_id)) == seen
    store.close()
    if kind == "docker":
        left = subprocess.run(["docker", "ps", "-aq"], capture_output=True, text=True).stdout
        assert run_id not in left
    answer = tmp_path / "out" / "answer.txt"
    solved = answer.exists() and LINE in answer.read_text()
    calls = len(only(e.CallFinished, seen))
    with capsys.disabled():
        print(f"\n{kind}, {mode}: {'solved' if solved else 'not solved'}, {end.reason}, ", end="")
        print(f"{len(only(e.ModelReplied, seen))} replies, {calls} calls, formats {chosen}")
