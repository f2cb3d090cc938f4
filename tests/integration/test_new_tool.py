"""A new tool is one file: registered, it runs in a real sandbox, also after resume and fork."""

from __future__ import annotations

import asyncio
import importlib.util
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.run.open_run import open_run
from sandbox_tui.core.tools import registry
from sandbox_tui.sessions import RunRegistry, Store, replay
from sandbox_tui.sessions.recording.fork_worker import ForkPlan, ForkWorker
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, Start, only, request, settings
from tests.waiting import HANG_SECONDS

TOOL = '''
"""`count_words`: counts the words of a file, and writes the number beside it."""

from sandbox_tui.core.tools.base import Observation


class CountWords:
    name = "count_words"
    schema = {
        "name": "count_words",
        "description": "Count the words of a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Which file."}},
            "required": ["path"],
        },
    }

    async def __call__(self, arguments, context):
        data = await context.sandbox.read_file(arguments["path"])
        count = len(data.split())
        await context.sandbox.write_file(arguments["path"] + ".count", b"%d" % count)
        return Observation(text=f"{count} words")
'''

CHILD = """
import asyncio, sys
from pathlib import Path
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store, RunRegistry
from tests.integration.test_new_tool import TOOLS, registered
from tests.integration.test_runs import settings

async def main(home, url, kind, tool):
    registered(Path(tool))
    workers = RunRegistry(Store(Path(home) / "s.db"))
    asked = {"model.name": "scripted", "model.base_url": url, "sandbox.grace": 60.0}
    worker = workers.begin(RunRequest(
        task="count the words",
        settings=settings(kind, **asked),
        copy_results=False,
        tools=TOOLS,
        files={"poem.txt": b"one two three", "long.txt": b"word " * 100_000},
        environment={"SUITE": "proof"},
        labels={"suite": "proof", "sample": "3"},
        seed=7,
    ))
    async for event in worker.watch():
        if isinstance(event, e.CallStarted) and event.call == 2:
            print("now", flush=True)
    print("ended", worker.state.finished, worker.failure, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""
"""A program that is killed during its second call."""

TOOLS = ("count_words", "execute_bash", "submit")
POEM, LONG = "/testbed/input/poem.txt", "/testbed/input/long.txt"


def registered(file: Path) -> None:
    """Import a tool's file and register the tool."""
    found = importlib.util.spec_from_file_location(file.stem, file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    registry.register(module.CountWords())


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a tool that stays registered until the test ends."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    file = tmp_path / "count_words.py"
    file.write_text(TOOL)
    registered(file)
    return file


@pytest.fixture
async def workers(tmp_path: Path) -> AsyncIterator[RunRegistry]:
    running = RunRegistry(Store(tmp_path / "s.db"))
    yield running
    await running.stop("The test is over.")
    running.store.close()


async def killed(home: Path, server: s.ScriptedServer, kind: str, tool: Path) -> None:
    """Run in another program and kill it during its second call."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CHILD, str(home), server.url, kind, str(tool)),
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert child.stdout is not None
    line = (await asyncio.wait_for(child.stdout.readline(), HANG_SECONDS)).decode().strip()
    assert line == "now"
    child.send_signal(signal.SIGKILL)
    await child.wait()


@KINDS
async def test_a_custom_tool_runs_and_is_resumed_and_forked(
    kind: str, scripted_server: Start, tmp_path: Path, tool: Path, workers: RunRegistry
) -> None:
    require(kind)
    server = scripted_server(
        s.calls(
            ("count_words", f'{{"path": "{POEM}"}}'),
            ("execute_bash", '{"command": "sleep 600"}'),
            ("execute_bash", f'{{"command": "cat {POEM}.count; wc -w <{LONG}; echo $SUITE"}}'),
        ),
        s.call("count_words", path=LONG),
        s.call("submit"),
    )
    await killed(tmp_path, server, kind, tool)
    (session,) = workers.store.runs()
    assert session.outcome == "interrupted"

    resumed = workers.resume(session, settings())
    seen = [event async for event in resumed.watch()]
    assert resumed.failure is None
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    texts = [event.observation for event in only(e.CallFinished, seen)]
    assert texts[0] == "3 words"
    assert "3" in texts[2]
    assert "proof" in texts[2]
    assert texts[3] == "100000 words"
    check_settings(seen[0], server)
    for asked in server.requests:
        assert [one["function"]["name"] for one in asked["tools"]] == list(TOOLS)
        steps_before = [one for one in asked["messages"] if one["role"] == "assistant"]
        assert asked["seed"] == 7 + len(steps_before)

    plan = ForkPlan(workers.store, workers.store.run(session.id), "call:2", before_call=True)
    wanted = replace(plan.request(load({}), {}), mode="auto")
    assert wanted.tools == TOOLS
    assert plan.base is None
    assert [effect.tool for effect in plan.repeats] == ["count_words"]
    edited = '{"command": "echo not asleep"}'
    worker = ForkWorker(plan, ForkRequest(run=wanted, edited=edited), workers.store)
    worker.start()
    again = [event async for event in worker.watch()]
    await worker.ended.wait()
    assert worker.failure is None
    assert again[-1].reason == "submitted"  # type: ignore[union-attr]
    check_settings(again[0], server)
    assert [event.parted for event in only(e.Repeated, again)] == [""]
    first, second, third = (event.observation for event in only(e.CallFinished, again)[:3])
    assert first == "3 words"
    assert "not asleep" in second
    assert all(word in third for word in ("3", "100000", "proof"))
    assert list(replay(workers.store, worker.run_id)) == again


def check_settings(started: e.AnyEvent, server: s.ScriptedServer) -> None:
    """The settings of the request are recorded, and nothing else."""
    assert isinstance(started, e.RunStarted)
    recorded = started.settings
    assert recorded is not None
    assert recorded.tools == TOOLS
    assert recorded.environment == {"SUITE": "proof"}
    assert recorded.labels == {"suite": "proof", "sample": "3"}
    assert recorded.seed == 7
    assert recorded.output is None
    assert set(recorded.files) == {"poem.txt", "long.txt"}


async def test_an_unknown_tool_is_refused_before_anything_begins(
    scripted_server: Start, tmp_path: Path
) -> None:
    store = Store(tmp_path / "s.db")
    wanted = replace(request(scripted_server(s.call("submit"))), tools=("no_such_tool",))
    with pytest.raises(ConfigError, match="no tool named 'no_such_tool'"):
        await open_run(wanted, "r", store.blobs("r"))
    store.close()
