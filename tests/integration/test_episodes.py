"""Episodes in real sandboxes: concurrent, grouped, for synchronous callers, cancelled."""

from __future__ import annotations

import asyncio
import json

import pytest

from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.types import Limits
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.rl.blocking_episode import BlockingPool
from sandbox_tui.core.rl.episode import Episode
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.group import EpisodeGroup, new_session, remove_orphaned_groups
from sandbox_tui.core.rl.pool import EpisodePool
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores
from tests.integration.conftest import TEST_IMAGE, make, require
from tests.perf.leaks import fill_pool, held_resources
from tests.scripted_policy import KeyReward, reply, tasks

EPISODES, AT_ONCE = 40, 16


@pytest.fixture(params=["docker", "bubblewrap"])
def settings(request: pytest.FixtureRequest) -> EpisodeSettings:
    """Episode settings for each kind of sandbox."""
    require(request.param)
    return EpisodeSettings(sandbox=request.param, image=TEST_IMAGE, prompts="short")


def docker_settings() -> EpisodeSettings:
    require("docker")
    return EpisodeSettings(sandbox="docker", image=TEST_IMAGE, prompts="short")


async def play(episode: Episode, task: Task) -> float:
    turn = await episode.reset(task)
    while True:
        result = await episode.step(reply(turn))
        if result.turn is None:
            await episode.close()
            return result.reward
        turn = result.turn


def calling(command: str) -> Message:
    function = {"name": "execute_bash", "arguments": json.dumps({"command": command})}
    call = {"id": "c", "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


async def test_concurrent_episodes_match_serial_ones_and_leave_nothing() -> None:
    todo = tasks(EPISODES)
    await fill_pool()
    async with EpisodePool(docker_settings(), KeyReward(), concurrency=1) as pool:
        serial = [await play(pool.episode(), task) for task in todo[:3]]
    before = await held_resources("docker")
    async with EpisodePool(docker_settings(), KeyReward(), concurrency=AT_ONCE, spares=2) as pool:
        rewards = await asyncio.gather(*(play(pool.episode(), task) for task in todo))
    after = await held_resources("docker")
    assert rewards[:3] == serial
    assert rewards == [float(number % 3 != 0) for number in range(EPISODES)]
    assert after.containers == 0
    assert (after.descriptors, after.children, after.tasks) == (
        before.descriptors, before.children, before.tasks,
    )  # fmt: skip


async def test_a_group_begins_from_one_prepared_snapshot(settings: EpisodeSettings) -> None:
    task = tasks(2)[1]
    prepared = Task(
        id=task.id,
        problem=task.problem,
        target=task.target,
        files=task.files,
        setup=("head -c 8 /dev/urandom | base64 >/testbed/once.txt",),
    )
    async with EpisodePool(settings, KeyReward(), concurrency=4) as pool:
        async with EpisodeGroup(pool, prepared) as group:
            snapshot = group.snapshot
            episodes = [group.episode() for _ in range(2)]
            await asyncio.gather(*(episode.reset(prepared) for episode in episodes))
            seen = [await episode.step(calling("cat once.txt")) for episode in episodes]
            assert seen[0].observations[0].text == seen[1].observations[0].text
            await episodes[0].step(calling("echo mine >input/keys.txt"))
            other = await episodes[1].step(calling("cat input/keys.txt"))
            assert "mine" not in other.observations[0].text
            assert await play(group.episode(), prepared) == 1.0
        assert not SnapshotStores(snapshot_dir()).exists(snapshot)


async def test_cancelling_closes_everything(settings: EpisodeSettings) -> None:
    has_begun = asyncio.Event()
    pool = EpisodePool(settings, KeyReward(), concurrency=2)

    async def work() -> None:
        async with pool:
            episode = pool.episode()
            await episode.reset(tasks(1)[0])
            has_begun.set()
            await episode.step(calling("sleep 600"))

    running = asyncio.create_task(work())
    await has_begun.wait()
    (episode,) = pool._episodes
    sandbox = episode._sandbox  # type: ignore[attr-defined]
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert sandbox._closed


async def test_closing_an_episode_ends_its_command(settings: EpisodeSettings) -> None:
    async with EpisodePool(settings, KeyReward(), concurrency=1) as pool:
        episode = pool.episode()
        await episode.reset(tasks(1)[0])
        step = asyncio.create_task(episode.step(calling("sleep 600")))
        await asyncio.sleep(0)
        await episode.close()
        with pytest.raises(RuntimeError, match="over"):
            await step
        assert episode.is_over


async def test_an_episode_whose_time_is_over_frees_its_place(settings: EpisodeSettings) -> None:
    quick = EpisodeSettings(
        sandbox=settings.sandbox, image=TEST_IMAGE, limits=Limits(time_limit=0.01)
    )
    async with EpisodePool(quick, KeyReward(), concurrency=1) as pool:
        await pool.episode().reset(tasks(1)[0])  # no step follows
        result = await (await started(pool.episode())).step(calling("sleep 600"))
        assert result.truncated
        assert result.info.reason == "time_limit"


async def started(episode: Episode) -> Episode:
    await episode.reset(tasks(1)[0])
    return episode


def test_without_asyncio() -> None:
    todo = tasks(2)
    with BlockingPool(docker_settings(), KeyReward(), concurrency=2) as pool:
        rewards: list[float] = []
        for task in todo:
            episode = pool.episode()
            turn = episode.reset(task)
            while True:
                result = episode.step(reply(turn))
                if result.turn is None:
                    break
                turn = result.turn
            rewards.append(result.reward)
            episode.close()
        with pool.group(todo[1]) as group:
            rollout = group.episode()
            rollout.reset(todo[1])
    assert rewards == [0.0, 1.0]
    with pytest.raises(RuntimeError):
        pool.episode()
    pool.close()


async def test_snapshots_of_killed_programs_are_removed_and_others_stay() -> None:
    require("bubblewrap")
    mine = new_session()
    parts = mine.split("-")
    dead = "-".join([*parts[:2], "1", "0", parts[-1]])
    names: list[str] = []
    for session in (mine, dead, "group-of-others"):
        sandbox = make("bubblewrap")
        sandbox.spec = type(sandbox.spec)(session_id=session, snapshot_dir=snapshot_dir())
        await sandbox.start()
        try:
            names.append((await sandbox.snapshot(session, max_bytes=1 << 30))[0])
        finally:
            await sandbox.close()
    stored = SnapshotStores(snapshot_dir())
    try:
        await asyncio.to_thread(remove_orphaned_groups)
        assert [stored.exists(name) for name in names] == [True, False, True]
    finally:
        for name in names:
            stored.remove(name)
