"""Work that runs to completion even if its caller is cancelled."""

from __future__ import annotations

import asyncio

import pytest

from sandbox_tui.core.base.to_completion import to_completion


@pytest.mark.parametrize("times", [1, 3])
async def test_a_cancelled_caller_waits_for_the_work_to_end(times: int) -> None:
    """However often it is cancelled."""
    go_on, done = asyncio.Event(), False

    async def work() -> int:
        nonlocal done
        await go_on.wait()
        done = True
        return 1

    waiting = asyncio.create_task(to_completion(work()))
    for _ in range(times):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting.cancel()
    await asyncio.wait([waiting], timeout=0)
    assert not waiting.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert done


async def test_the_result_of_the_work() -> None:
    async def work(fails: bool) -> int:
        if fails:
            raise ValueError("no")
        return 1

    assert await to_completion(work(fails=False)) == 1
    with pytest.raises(ValueError, match="no"):
        await to_completion(work(fails=True))


async def test_an_error_of_the_work_comes_before_the_cancellation() -> None:
    go_on = asyncio.Event()

    async def work() -> None:
        await go_on.wait()
        raise ZeroDivisionError

    waiting = asyncio.create_task(to_completion(work()))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(ZeroDivisionError):
        await waiting
