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
    MAX_BACK_OFF_SECONDS,
    MAX_LOADING_SECONDS,
    STILL_LOADING,
    RequestWithRetries,
)
from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.notes import LOADING
from sandbox_tui.tui.format.status import giving_up_words, retry_words
from tests import scripted_server as s
from tests.unit.core.agent.test_request_with_retries import (
    AgentUnderTest,
    drain,
    model_of,
    steps,
)
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]


class Clock:
    """A clock that only waits move; waits end at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.waits: list[float] = []

        async def wait(_: RequestWithRetries, seconds: float, __: object = None) -> None:
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
    assert [one.text for one in asking.only(e.Warned)] == [LOADING]
    assert len(asking.only(e.ModelAsked)) == MAX_ATTEMPTS
    assert [one.attempt for one in asking.only(e.ModelFailed)] == [1, 2, 3, 4]


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
    assert [one.text for one in asking.only(e.Warned)] == [LOADING]
    assert [(one.error, one.attempt) for one in asking.only(e.ModelFailed)] == [
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


async def test_the_user_asks_again_at_once(
    scripted_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_with_retries, "LOADING_RETRY_SECONDS", MAX_LOADING_SECONDS)
    asking = AgentUnderTest(model_of(scripted_server(s.loading(), s.say("loaded"))))
    skipped: list[bool] = []

    def skip() -> None:
        skipped.append(asking.agent.interrupt_reply())

    def retry(event: e.AnyEvent) -> None:
        if isinstance(event, e.Warned):  # the wait begins right after it
            asyncio.get_running_loop().call_soon(skip)

    asking.journal.observers.append(retry)
    reader = asyncio.create_task(drain(asking.journal))
    async with asyncio.timeout(HANG_SECONDS):
        await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert skipped == [True]
    assert asking.only(e.ModelReplied)[0].text == "loaded"


async def test_the_runs_own_time_limit_ends_the_wait(scripted_server: Start) -> None:
    server = scripted_server(s.loading())
    asking = AgentUnderTest(model_of(server))
    reader = asyncio.create_task(drain(asking.journal))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(None) as limit:

            def expire(event: e.AnyEvent) -> None:
                if isinstance(event, e.Warned):
                    limit.reschedule(asyncio.get_running_loop().time())

            asking.journal.observers.append(expire)
            await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert len(server.requests) == 1


async def test_the_number_of_attempts_is_a_limit_and_pauses_are_capped(
    scripted_server: Start, clock: Clock
) -> None:
    server = scripted_server(*[s.failure(502, "restarting")] * 11, s.say("back"))
    asking = AgentUnderTest(model_of(server), retry_base=1.0, max_attempts=12)
    reader = asyncio.create_task(drain(asking.journal))
    await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert asking.only(e.ModelReplied)[0].text == "back"
    failures = asking.only(e.ModelFailed)
    assert {one.max_attempts for one in failures} == {12}
    assert clock.waits[0] < 2
    assert max(clock.waits) == clock.waits[-1] <= MAX_BACK_OFF_SECONDS
    assert sum(clock.waits) > 4 * 0.75 * MAX_BACK_OFF_SECONDS
    assert retry_words(failures[-1], failures[-1].t).startswith("try 12 of 12 in ")


async def test_the_default_attempts_bridge_the_restart_of_a_server(clock: Clock) -> None:
    """Nothing listens at the address."""
    with s.ScriptedServer([]) as server:
        gone = model_of(server)
    asking = AgentUnderTest(gone, retry_base=1.0)
    reader = asyncio.create_task(drain(asking.journal))
    with pytest.raises(ModelError, match="cannot be reached"):
        await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert sum(clock.waits) >= 120
    assert max(clock.waits) <= MAX_BACK_OFF_SECONDS
    failures = asking.only(e.ModelFailed)
    assert giving_up_words(failures[0], failures[0].t).startswith("gives up in 02:")
    assert [giving_up_words(one, one.t) for one in failures[-2:]] == ["", ""]


REFUSALS = {
    "every 5 s": s.failure(429, "slow down", retry_after="5"),
    "at once": s.failure(429, "slow down", retry_after="0"),
    "a rate limit that names no time": s.failure(429, "slow down"),
    "an overload that names a time": s.failure(503, "busy", retry_after="1"),
    "a minute and a half": s.failure(429, "slow down", retry_after="90"),
}


@pytest.mark.parametrize("what", REFUSALS)
async def test_a_rate_limit_is_waited_for_as_long_as_a_server_that_is_away(
    what: str, scripted_server: Start, clock: Clock
) -> None:
    """The first wait is the one that the server asks for; it grows while the server refuses."""
    server = scripted_server(REFUSALS[what])
    asking = AgentUnderTest(model_of(server), retry_base=1.0)
    reader = asyncio.create_task(drain(asking.journal))
    with pytest.raises(ModelError):
        await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert len(server.requests) == MAX_ATTEMPTS
    assert sum(clock.waits) >= 120
    asked = {"every 5 s": 5.0, "at once": 0.0, "an overload that names a time": 1.0}
    if what in asked:
        assert clock.waits[0] == asked[what]
        assert sorted(set(clock.waits)) == clock.waits
        assert max(clock.waits) <= MAX_BACK_OFF_SECONDS
    elif "half" in what:
        assert clock.waits == [90.0] * 4
    first = asking.only(e.ModelFailed)[0]
    assert first.gives_up_in >= 120


async def test_an_error_of_another_kind_is_retried_when_the_server_says(
    scripted_server: Start, clock: Clock
) -> None:
    server = scripted_server(*[s.failure(500, "boom", retry_after="3")] * 4, s.say("back"))
    asking = AgentUnderTest(model_of(server), retry_base=1.0)
    reader = asyncio.create_task(drain(asking.journal))
    await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert clock.waits == [3.0] * 4
