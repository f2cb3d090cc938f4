"""A command of the user after the last call of a step: the next request waits for its output."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from sandbox_tui.core.events import types as e
from sandbox_tui.core.models.base import Delta, Reply, Request
from sandbox_tui.core.sandboxes.base import ExecResult
from tests.unit.core.run.test_run_life import Played


def asked_of(played: Played) -> list[Request]:
    """Return a list to which the model's requests are added."""
    asked: list[Request] = []
    ask = played.model.ask

    def listen(request: Request) -> AsyncGenerator[Delta | Reply, None]:
        asked.append(request)
        return ask(request)

    played.model.ask = listen
    return asked


def told(request: Request) -> bool:
    """Whether the request contains the output of the user's command."""
    return any("echo INJECTED" in str(message["content"]) for message in request.messages)


async def test_a_command_queued_during_the_last_call_is_in_the_next_request() -> None:
    played = Played()
    asked, sandbox = asked_of(played), played.sandbox
    execute = sandbox.exec

    async def exec_slowly(command: str, **more: Any) -> ExecResult:
        if not asked[1:] and not played.run.state.humans and command == "make it":
            played.run.inject("echo INJECTED")
        elif command == "echo INJECTED":
            for _ in range(200):  # longer than a request takes to be made
                await asyncio.sleep(0)
        return await execute(command, **more)

    sandbox.exec = exec_slowly
    await played.play()
    played.is_in_order()
    assert [told(request) for request in asked[:2]] == [False, True]
    steps = [event.step for event in played.seen if isinstance(event, e.Delivered)]
    assert steps == [2]


async def test_a_command_that_the_model_is_not_told_of_delays_no_request() -> None:
    played = Played()
    asked, sandbox = asked_of(played), played.sandbox
    execute, ends = sandbox.exec, asyncio.Event()

    async def exec_slowly(command: str, **more: Any) -> ExecResult:
        if not asked[1:] and not played.run.state.humans and command == "make it":
            played.run.inject("sleep 100", tell=False)
        elif command == "sleep 100":
            await ends.wait()
        return await execute(command, **more)

    async def person() -> None:
        while len(asked) < 2:
            await asyncio.sleep(0)
        ends.set()

    sandbox.exec = exec_slowly
    pressing = asyncio.create_task(person())
    await played.play()
    await pressing
    played.is_in_order()


async def test_a_pause_while_the_command_runs_holds_the_request() -> None:
    played = Played()
    asked, sandbox = asked_of(played), played.sandbox
    execute, asked_while_paused = sandbox.exec, list[int]()

    async def exec_slowly(command: str, **more: Any) -> ExecResult:
        if not asked[1:] and not played.run.state.humans and command == "make it":
            played.run.inject("echo INJECTED")
        elif command == "echo INJECTED":
            for _ in range(50):
                await asyncio.sleep(0)
            played.run.pause()
        return await execute(command, **more)

    async def person() -> None:
        while not played.run.state.humans or played.run.state.humans[1].finished is None:
            await asyncio.sleep(0)
        for _ in range(200):
            await asyncio.sleep(0)
        asked_while_paused.append(len(asked))
        played.run.resume()

    sandbox.exec = exec_slowly
    pressing = asyncio.create_task(person())
    await played.play()
    await pressing
    played.is_in_order()
    assert asked_while_paused == [1]
    assert told(asked[1])
