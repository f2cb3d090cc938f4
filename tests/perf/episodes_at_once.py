"""Episodes for a trainer: many at once, and one compared with the calls of the reference's
environment.

python -m tests.perf.episodes_at_once [EPISODES] [ROUNDS]
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import docker

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.rl.episode import Episode
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.pool import EpisodePool
from tests.perf.figures import Figure, Section, median, milliseconds
from tests.perf.headless_calls import IMAGE
from tests.perf.leaks import WARM_UP, fill_pool, held_resources
from tests.perf.peers import QUIET, REFERENCE, PeerMissing
from tests.perf.report import print_section
from tests.scripted_policy import KeyReward, reply, tasks

EPISODES, AT_ONCE, SPARES, ROUNDS = 1000, 16, 4, 5
CALLS = 27
"""With the submission 28 steps, the median of the trajectories published with the reference."""

MOST = 1.5
"""Maximum duration of an episode relative to the reference's, without the container's start."""

COMMAND = "echo $((17 * 23)) | tee -a work.txt"
LAST = "tail -n 1 work.txt >/testbed/output/answer.txt"


def measure(episodes: int = EPISODES, rounds: int = ROUNDS) -> Section:
    """Measure both parts."""
    section = Section(
        title=f"{episodes} episodes for a trainer",
        words=(
            f"A scripted policy attempts {episodes} tasks in Docker containers of the image {IMAGE}, "
            f"{AT_ONCE} at once with {SPARES} warm spares, then all of them again one after the "
            "other: their rewards have to be the same, and nothing may be left of them. Each reads "
            "a file, writes an answer and submits. Beside it, one episode at a time of "
            f"{CALLS} calls of `{COMMAND}` and a submission, without spares: the whole of it, from "
            "reset to the container's removal, less the time in which Docker creates and starts a "
            "bare container of the same image; compared with those calls alone in the environment "
            f"of the reference. Median of {rounds} alternating rounds."
        ),
    )
    try:
        section.figures.append(asyncio.run(_beside_the_reference(rounds)))
    except (PeerMissing, subprocess.SubprocessError) as error:
        section.missing.append(str(error))
    section.figures += asyncio.run(_many(episodes))
    return section


# --- many at once


async def _many(count: int) -> list[Figure]:
    todo = tasks(count)
    await fill_pool()
    await _rewards(todo[:WARM_UP], 1, 0)
    before = await held_resources("docker")
    began = time.monotonic()
    together = await _rewards(todo, AT_ONCE, SPARES)
    took = time.monotonic() - began
    after = await held_resources("docker")
    serial = await _rewards(todo, 1, 0)
    same = sum(one == other for one, other in zip(together, serial, strict=True))
    left = {
        name: asdict(after)[name] - was
        for name, was in asdict(before).items()
        if name in ("descriptors", "tasks", "children", "containers")
    }
    return [
        Figure(name=f"{count} episodes, {AT_ONCE} at once", ours=milliseconds(took)),
        Figure(name="rewards that equal those of a serial run", ours=f"{same}", met=same == count),
        Figure(
            name="left behind",
            ours=", ".join(f"{name} {more:+}" for name, more in left.items()),
            met=not any(left.values()),
        ),
    ]


async def _rewards(todo: list[Task], at_once: int, spares: int) -> list[float]:
    async with EpisodePool(_settings(), KeyReward(), concurrency=at_once, spares=spares) as pool:
        return await asyncio.gather(*(_played(pool.episode(), task) for task in todo))


async def _played(episode: Episode, task: Task) -> float:
    turn = await episode.reset(task)
    while True:
        result = await episode.step(reply(turn))
        if result.turn is None:
            await episode.close()
            return result.reward
        turn = result.turn


def _settings() -> EpisodeSettings:
    return EpisodeSettings(sandbox="docker", image=IMAGE, prompts="short")


# --- compared with the reference


async def _beside_the_reference(rounds: int) -> Figure:
    reference = _Reference()
    try:
        taken = [
            (await asyncio.to_thread(_bare), await _one(), await asyncio.to_thread(reference.calls))
            for _ in range(rounds + 1)
        ][1:]
    finally:
        reference.close()
    bare, ours, theirs = (median([one[at] for one in taken]) for at in range(3))
    return Figure.less(
        f"an episode of {milliseconds(ours)} beyond a bare container's start of "
        f"{milliseconds(bare)}, vs. the calls alone of llm-in-sandbox {REFERENCE.version}",
        max(ours - bare, 1e-6),
        theirs,
        1 / MOST,
        milliseconds,
    )


def _bare() -> float:
    """Return the seconds Docker needs to create and start a container that does nothing."""
    client = docker.from_env()
    try:
        began = time.perf_counter()
        container: Any = client.containers.create(
            IMAGE, ["sleep", "infinity"], network_mode="none", init=True
        )
        try:
            container.start()
            return time.perf_counter() - began
        finally:
            container.remove(force=True)
    finally:
        client.close()


async def _one() -> float:
    """Return the seconds of one episode."""
    task = Task(id="product", problem="What is 17 * 23?", target="391")
    async with EpisodePool(_settings(), KeyReward(), concurrency=1) as pool:
        began = time.perf_counter()
        episode = pool.episode()
        await episode.reset(task)
        for command in _commands():
            result = await episode.step(_calling("execute_bash", command=command))
            assert result.observations[0].ok, result.observations
        result = await episode.step(_calling("submit"))
        await episode.close()
        took = time.perf_counter() - began
    assert result.reward == 1.0, result
    return took


def _commands() -> list[str]:
    return [COMMAND] * (CALLS - 1) + [f"{COMMAND}; {LAST}"]


def _calling(name: str, **arguments: str) -> Message:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "tool_calls": [{"id": "c", "type": "function", "function": function}],
    }


class _Reference:
    """The process that times the reference (`reference_episode.py`)."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("reference_episode.py")
        self._process = subprocess.Popen(
            [REFERENCE.program("python"), str(script), IMAGE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=QUIET | {"PATH": "/usr/bin:/bin"},
        )
        if self._line() != "ready":
            raise PeerMissing("llm-in-sandbox could not start its container.")
        self._ask("mkdir -p output")

    def calls(self) -> float:
        """Return the seconds of the calls of one episode."""
        return self._ask(*_commands())

    def close(self) -> None:
        """End the process and its container."""
        self._process.communicate()

    def _ask(self, *commands: str) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{command}\n" for command in (*commands, "")))
        self._process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    numbers = list(map(int, sys.argv[1:]))
    sys.exit(0 if print_section(measure(*numbers)) else 1)


if __name__ == "__main__":
    main()
