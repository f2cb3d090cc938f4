"""A server that is loading its model is waited for, without losing an attempt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from sandbox_tui.core.agent import request_with_retries
from sandbox_tui.core.agent.request_with_retries import (
    LOADING_RETRY_SECONDS,
    MAX_ATTEMPTS,
    MAX_LOADING_SECONDS,
    RequestWithRetries,
)
from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import ReplyItem, fold
from tests import scripted_server as s
from tests.unit.core.agent.test_request_with_retries import (
    AgentUnderTest,
    drain,
    model_of,
    steps,
)

Start = Callable[..., s.ScriptedServer]
LOADING = "The server is loading its model."
STILL_LOADING = "The server was still loading its model after ten minutes."


class Clock:
    """A clock that only waits move; waits end at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.waits: list[float] = []

        async def wait(_: RequestWithRetries, seconds: float) -> None:
            await asyncio.sleep(0)
            self.waits.append(seconds)
            self.now += seconds

        monkeypatch.setattr(RequestWithRetries, "_wait", wait)
        monkeypatch.setattr(
            request_with_retries, "time", SimpleNamespace(monotonic=lambda: self.now)
        )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def test_it_is_waited_for_without_losing_an_attempt(
    scripted_server: Start, clock: Clock
) -> None:
    busy = s.failure(503, "busy", retry_after="0")
    server = scripted_server(*[s.loading()] * 6, *[busy] * (MAX_ATTEMPTS - 1), s.say("loaded"))
    asking = await steps(1, server)
    assert asking.only(e.ModelReplied)[0].text == "loaded"
    assert clock.waits == [LOADING_RETRY_SECONDS] * 6 + [0.0] * (MAX_ATTEMPTS - 1)
    failed = asking.only(e.ModelFailed)
    assert [(one.error, one.attempt, one.retry_in) for one in failed[:6]] == [
        (LOADING, 1, LOADING_RETRY_SECONDS)
    ] * 6
    assert [one.attempt for one in failed[6:]] == [1, 2, 3, 4]


async def test_after_ten_minutes_it_is_an_ordinary_failure(
    scripted_server: Start, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_with_retries, "LOADING_RETRY_SECONDS", 200.0)
    server = scripted_server(s.loading())
    asking = AgentUnderTest(model_of(server))
    reader = asyncio.create_task(drain(asking.journal))
    with pytest.raises(ModelError) as raised:
        await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert str(raised.value) == STILL_LOADING
    assert clock.now == MAX_LOADING_SECONDS == 600.0
    waits = 3
    assert len(server.requests) == waits + MAX_ATTEMPTS
    failed = asking.only(e.ModelFailed)
    assert {one.error for one in failed[:waits]} == {LOADING}
    assert [(one.error, one.attempt) for one in failed[waits:]] == [
        (STILL_LOADING, attempt) for attempt in range(1, MAX_ATTEMPTS + 1)
    ]


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("0", LOADING_RETRY_SECONDS), ("20", 20.0), ("3600", MAX_LOADING_SECONDS)],
)
async def test_the_wait_is_the_servers_within_bounds(
    scripted_server: Start, clock: Clock, asked: str, waited: float
) -> None:
    loading = s.loading(**{"retry-after": asked})
    await steps(1, scripted_server(loading, s.say("loaded")))
    assert clock.waits == [waited]


async def test_a_later_reply_has_ten_minutes_of_its_own(
    scripted_server: Start, clock: Clock
) -> None:
    once = [s.loading(**{"retry-after": "500"}), s.say("loaded")]
    await steps(2, scripted_server(*once, *once))
    assert clock.waits == [500.0, 500.0]


async def test_the_user_asks_again_at_once(scripted_server: Start) -> None:
    asking = AgentUnderTest(model_of(scripted_server(s.loading(), s.say("loaded"))))

    def retry(event: e.AnyEvent) -> None:
        if isinstance(event, e.ModelFailed):  # the wait begins right after it
            asyncio.get_running_loop().call_soon(asking.agent.interrupt_reply)

    asking.journal.observers.append(retry)
    reader = asyncio.create_task(drain(asking.journal))
    await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert asking.only(e.ModelReplied)[0].text == "loaded"


async def test_the_runs_own_time_limit_ends_the_wait(scripted_server: Start) -> None:
    server = scripted_server(s.loading())
    asking = AgentUnderTest(model_of(server))
    reader = asyncio.create_task(drain(asking.journal))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(None) as limit:

            def expire(event: e.AnyEvent) -> None:
                if isinstance(event, e.ModelFailed):
                    limit.reschedule(asyncio.get_running_loop().time())

            asking.journal.observers.append(expire)
            await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert len(server.requests) == 1


def test_repeated_answers_of_one_attempt_are_one_line() -> None:
    state = fold(
        [
            e.ModelAsked(seq=1, t=0.0, step=1, digest="", messages=2),
            e.ModelFailed(seq=2, t=1.0, step=1, error=LOADING, attempt=1, retry_in=5.0),
            e.ModelAsked(seq=3, t=6.0, step=1, digest="", messages=2),
            e.ModelFailed(seq=4, t=7.0, step=1, error=LOADING, attempt=1, retry_in=5.0),
            e.ModelAsked(seq=5, t=12.0, step=1, digest="", messages=2),
            e.ModelFailed(seq=6, t=13.0, step=1, error="busy", attempt=1, retry_in=1.0),
            e.ModelAsked(seq=7, t=14.0, step=1, digest="", messages=2, attempt=2),
            e.ModelFailed(seq=8, t=15.0, step=1, error="busy", attempt=2, retry_in=2.0),
        ]
    )
    (reply,) = state.items
    assert isinstance(reply, ReplyItem)
    assert [(one.error, one.attempt, one.t) for one in reply.failures] == [
        (LOADING, 1, 7.0),
        ("busy", 1, 13.0),
        ("busy", 2, 15.0),
    ]
