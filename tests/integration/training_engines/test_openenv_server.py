"""The OpenEnv server with OpenEnv's own client, on real sandboxes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("openenv", reason="openenv is not installed: sandbox-tui[openenv]")

import httpx
from openenv.core import GenericEnvClient

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.adapters.openenv_server import OpenEnvServer, application, listen
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.pool import EpisodePool
from sandbox_tui.core.rl.rewards.build import build_reward
from sandbox_tui.core.rl.rewards.settings import RewardSettings
from tests.integration.conftest import require

TASKS = [
    Task(
        id=name,
        problem="Which colour is in colour.txt?",
        target=name,
        files={"colour.txt": name.encode()},
    )
    for name in ("red", "green", "blue")
]
SOLVE = {
    "tool": "execute_bash",
    "arguments": {"command": "mkdir -p output; cp input/colour.txt output/answer.txt; pwd"},
}
SUBMIT = {"tool": "submit"}
CONCURRENCY = 3


class CountingPool(EpisodePool):
    """Counts the sandboxes opened and removed, and signals each removal."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.opened = self.gone = 0
        self.removed: asyncio.Queue[None] = asyncio.Queue()

    async def open(self, spec: Any) -> Any:
        sandbox = await super().open(spec)
        self.opened += 1
        return sandbox

    def release(self, sandbox: Any) -> asyncio.Task[None]:
        removal = super().release(sandbox)
        removal.add_done_callback(self._count)
        return removal

    def _count(self, removal: asyncio.Task[None]) -> None:
        self.gone += 1
        self.removed.put_nowait(None)


class Served:
    """A server and its pool."""

    def __init__(self, url: str, pool: CountingPool, server: OpenEnvServer) -> None:
        self.url, self.pool, self.server = url, pool, server

    def client(self) -> GenericEnvClient:
        return GenericEnvClient(base_url=self.url)


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    require("bubblewrap")
    settings = EpisodeSettings(sandbox="bubblewrap")
    async with CountingPool(settings, build_reward(RewardSettings(scorer="exact"))) as pool:
        listening = listen("127.0.0.1", 0)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = OpenEnvServer(application(TASKS, pool.episode, concurrency=CONCURRENCY), listening)
        running = asyncio.create_task(server.run_until_stopped())
        yield Served(url, pool, server)
        server.stop()
        await running
    assert pool.gone == pool.opened


async def test_an_episode_from_reset_to_reward(served: Served) -> None:
    async with served.client() as client:
        first = await client.reset(seed=1)
        assert "Which colour" in str(first.observation["messages"])
        assert [tool["function"]["name"] for tool in first.observation["tools"]][-1] == "submit"
        step = await client.step(SOLVE)
        assert (step.done, step.reward) == (False, 0.0)
        assert "/testbed" in step.observation["messages"][0]["content"]
        last = await client.step(SUBMIT)
        assert (last.done, last.reward) == (True, 1.0)
        assert last.observation["terminated"]
        assert last.observation["reason"] == "submitted"
        state = await client.state()
        assert (state["task_id"], state["step_count"], state["reward"]) == ("green", 2, 1.0)
        with pytest.raises(RuntimeError, match="reset the environment first"):
            await client.step(SUBMIT)
        again = await client.reset(task="blue")
        assert again.metadata["task_id"] == "blue"
    await served.pool.removed.get()


async def test_replies_as_messages_and_as_text(served: Served) -> None:
    text = '<tool_call>\n{"name": "submit", "arguments": {}}\n</tool_call>'
    async with served.client() as client:
        await client.reset(split="train", index=0)
        reminded = await client.step({"message": {"role": "assistant", "content": "Red?"}})
        assert reminded.observation["messages"][0]["role"] == "user"
        with pytest.raises(RuntimeError, match="exactly one of"):
            await client.step({"text": "x", "tool": "submit"})
        last = await client.step({"text": text})
        assert (last.done, last.reward) == (True, 0.0)


async def test_a_task_that_the_client_sends(served: Served) -> None:
    mine = {"problem": "Which?", "target": "teal", "files": {"colour.txt": "teal"}}
    async with served.client() as client:
        with pytest.raises(RuntimeError, match="not image"):
            await client.reset(task={**mine, "image": "any"})
        await client.reset(task=mine)
        await client.step(SOLVE)
        last = await client.step(SUBMIT)
        assert last.reward == 1.0


async def test_clients_at_once_have_sandboxes_of_their_own(served: Served) -> None:
    async def solve(number: int) -> float:
        async with served.client() as client:
            await client.reset(split="train", index=number)
            await client.step(SOLVE)
            return (await client.step(SUBMIT)).reward

    assert await asyncio.gather(*(solve(number) for number in range(CONCURRENCY))) == [1.0] * 3
    assert served.pool.opened == CONCURRENCY
    for _ in range(CONCURRENCY):
        await served.pool.removed.get()


async def test_one_client_more_than_the_server_takes(served: Served) -> None:
    clients = [served.client() for _ in range(CONCURRENCY)]
    for client in clients:
        await client.connect()
        await client.state()
    async with served.client() as refused:
        with pytest.raises(RuntimeError, match="CAPACITY_REACHED"):
            await refused.reset()
    for client in clients:
        await client.close()


async def test_a_client_that_goes_away_while_its_command_runs(served: Served) -> None:
    client = served.client()
    await client.connect()
    await client.reset()
    await client._ws.send(
        '{"type": "step", "data": {"tool": "execute_bash", "arguments": {"command": "sleep 100"}}}'
    )
    client._ws.transport.abort()  # as if its process were killed
    await asyncio.wait_for(served.pool.removed.get(), 60)
    await client.close()


async def test_stopping_the_server_ends_episodes_at_work(served: Served) -> None:
    client = served.client()
    await client.connect()
    await client.reset()
    served.server.stop()
    await asyncio.wait_for(served.pool.removed.get(), 60)
    await client.close()


async def test_the_task_api_tells_no_target(served: Served) -> None:
    async with httpx.AsyncClient(base_url=served.url) as http:
        assert (await http.get("/sandbox_tui/splits")).json() == [
            {"name": "train", "type": "train"}
        ]
        one = {"split": "train", "index": 2}
        task = (await http.post("/sandbox_tui/task", json=one)).json()["task"]
        assert task["id"] == "blue"
        assert "target" not in task
        beyond = await http.post("/sandbox_tui/task", json={"split": "train", "index": 3})
        assert beyond.status_code == 400


async def test_pages_of_other_sites_are_not_let_in(served: Served) -> None:
    async with httpx.AsyncClient(base_url=served.url) as http:
        assert (await http.get("/health")).status_code == 200
        for header in ({"Origin": "http://page.example"}, {"Host": "page.example"}):
            assert (await http.get("/health", headers=header)).status_code == 403
    page = GenericEnvClient(base_url=served.url, headers={"Origin": "http://page.example"})
    with pytest.raises(ConnectionError):
        await page.connect()
