"""Output is parsed at the pace of the screen, in slices that let other tasks run in between."""

from __future__ import annotations

import asyncio
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox_tui.tui.widgets.terminal.output_pump import (
    HIGH_WATER_BYTES,
    MAX_PIECE_BYTES,
    SLICE_SECONDS,
    YIELD_SECONDS,
    Pump,
)


def work(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


@given(pieces=st.lists(st.binary(max_size=3000), max_size=30))
@settings(max_examples=50, deadline=None)
def test_all_bytes_come_out_in_their_order(pieces: list[bytes]) -> None:
    async def pumped() -> bytes:
        taken: list[bytes] = []
        rests = asyncio.Event()
        pump = Pump(taken.append, rests.set)
        for piece in pieces:
            pump.put(piece)
        while pump.waiting:
            rests.clear()
            await rests.wait()
        return b"".join(taken)

    assert asyncio.run(pumped()) == b"".join(pieces)


async def test_tasks_that_wait_for_a_frame_run_before_the_next_slice() -> None:
    """A key takes several loop iterations from the terminal to the widget that handles it."""
    order: list[str] = []
    over = asyncio.Event()
    loop = asyncio.get_running_loop()

    def take(_: bytes) -> None:
        order.append("slice")
        work(2 * SLICE_SECONDS)

    def draw() -> None:
        if len(order) > 1:
            over.set()
        else:
            loop.call_soon(picture)

    def picture() -> None:
        work(4 * YIELD_SECONDS)
        loop.call_soon(turn, 5)

    def turn(left: int) -> None:
        if left:
            loop.call_soon(turn, left - 1)
        else:
            order.append("key")

    pump = Pump(take, draw)
    pump.put(b"x" * 3 * MAX_PIECE_BYTES)
    await over.wait()
    assert order[:3] == ["slice", "key", "slice"]
    pump.stop()


async def test_a_producer_of_too_much_output_waits_and_continues() -> None:
    seconds = [2 * SLICE_SECONDS]
    pump = Pump(lambda _: work(seconds.pop() if seconds else 0.0), lambda: None)
    pump.put(b"x" * 2 * HIGH_WATER_BYTES)
    draining = asyncio.create_task(pump.drain())
    await asyncio.sleep(0)
    assert not draining.done()
    await draining
    assert pump.waiting <= HIGH_WATER_BYTES
    pump.put(b"x" * 2 * HIGH_WATER_BYTES)
    pump.stop()
    await pump.drain()
    assert pump.waiting == 0
