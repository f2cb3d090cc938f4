"""A recorded run on a real sandbox: any state rebuilt from keyframe and tail is identical."""

from __future__ import annotations

import contextlib
from pathlib import Path

from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.open_run import open_run
from sandbox_tui.sessions import Store, new_id, record
from sandbox_tui.sessions.playback.keyframes import catch_up, last_keyframe, playback_state_at
from sandbox_tui.tui.screens.home.demo_request import demo_request
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, settings
from tests.unit.sessions.playback.test_keyframes import assert_same, small_keyframes


@KINDS
async def test_every_moment_of_the_demo(kind: str, tmp_path: Path) -> None:
    require(kind)
    store, run_id = Store(tmp_path / "s.db"), new_id()
    wanted = demo_request(settings(kind), speed=0, output=tmp_path / "out")
    run = await open_run(wanted, run_id, store.blobs(run_id))
    with contextlib.closing(store), small_keyframes():
        events: list[e.AnyEvent] = [event async for event in record(run.events(), store, run_id)]
        catch_up(store, run_id)
        assert last_keyframe(store, run_id) > len(events) - 20
        for seq in range(len(events) + 1):
            assert_same(playback_state_at(store, run_id, seq), events[:seq])
