"""The user's work on files through the keys of the live screen, on a real sandbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Checkbox, Input, TextArea

from sandbox_tui.core.agent.approval_gate import Mode
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import HumanItem
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.files.copy_files import CopyInDialog, CopyOutDialog
from sandbox_tui.tui.screens.files.edit_file import EditFileScreen
from sandbox_tui.tui.screens.files.file_view import FileViewScreen
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.preview.preview import Preview
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import settings
from tests.waiting import until

Start = Callable[..., s.ScriptedServer]
KINDS = pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
MADE = "mkdir d; printf 'one\\ntwo\\n' >d/a.txt; head -c 400000 /dev/zero | tr '\\0' x >d/large.txt; sleep 0.1"


def toasts(pilot: Pilot[int]) -> list[str]:
    return [str(note.message) for note in pilot.app._notifications]


async def at_the_second_call(
    server: s.ScriptedServer,
    kind: str,
    tmp_path: Path,
    act: Callable[[LiveScreen, Pilot[int]], Awaitable[None]],
) -> tuple[LiveScreen, list[e.AnyEvent]]:
    """The live screen of a run that pauses at its second call while `act` works."""
    mode: Mode = "step"
    wanted = RunRequest(
        task="t",
        settings=settings(kind, **{"model.name": "scripted", "model.base_url": server.url}),
        mode=mode,
        output=tmp_path / "results",
    )
    store = Store(tmp_path / "s.db")
    app = SandboxTui(wanted.settings, store, [wanted])
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, LiveScreen) and app.screen.state.pending)
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        await until(pilot, lambda: screen._drawn_call.shows(screen.state.pending))
        await pilot.press("a")
        await until(
            pilot, lambda: _pending(screen) == 2 and "/testbed/d/a.txt" in screen.state.files
        )
        await pilot.press("3")
        await until(pilot, lambda: screen.query_one(FileTree).has_focus)
        await act(screen, pilot)
        assert screen.run is not None
        screen.run.set_mode("auto")
        screen.run.approve(2)
        await until(pilot, screen.worker.ended.is_set)
    events = list(store.events(screen.worker.run_id))
    store.close()
    return screen, events


def _pending(screen: LiveScreen) -> int | None:
    return screen.state.pending.call.number if screen.state.pending else None


def done(screen: LiveScreen) -> list[e.HumanFile]:
    return [item.file for item in screen.state.items if isinstance(item, HumanItem) and item.file]


async def press(pilot: Pilot[int], key: str, shown: type) -> Any:
    await pilot.press(key)
    await until(pilot, lambda: isinstance(pilot.app.screen, shown))
    return pilot.app.screen


@KINDS
async def test_files_are_copied_out_copied_in_and_edited(
    kind: str, scripted_server: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(kind)
    monkeypatch.chdir(tmp_path)
    server = scripted_server(
        s.call("execute_bash", command=MADE),
        s.call("execute_bash", command="cat d/a.txt d/new.txt"),
        s.call("submit"),
    )
    (tmp_path / "new.txt").write_text("from the host\n")

    async def act(screen: LiveScreen, pilot: Pilot[int]) -> None:
        files = screen.query_one(FileTree)
        assert files.select("/testbed/d/a.txt")

        (tmp_path / "a.txt").write_text("mine")
        asked = await press(pilot, "p", CopyOutDialog)
        assert asked.query_one(Input).value == str(tmp_path)  # not among the results
        await pilot.press("enter")
        await until(pilot, lambda: len(done(screen)) == 1)
        copied = tmp_path / "a-2.txt"
        assert copied.read_bytes() == b"one\ntwo\n"
        await until(pilot, lambda: f"Copied out to {copied}." in toasts(pilot))

        files.select("/testbed/d")
        await press(pilot, "p", CopyOutDialog)
        await pilot.press("enter")
        await until(pilot, lambda: len(done(screen)) == 2)
        assert (tmp_path / "d" / "a.txt").exists()

        asked = await press(pilot, "P", CopyInDialog)
        assert asked.query_one("#folder", Input).value == "/testbed/d"
        asked.query_one("#host", Input).value = str(tmp_path / "nothing")
        await pilot.press("enter")
        assert pilot.app.screen is asked
        asked.query_one("#host", Input).value = str(tmp_path / "new.txt")
        asked.query_one(Checkbox).value = False
        await pilot.press("enter")
        await until(
            pilot, lambda: len(done(screen)) == 3 and "/testbed/d/new.txt" in screen.state.files
        )

        await press(pilot, "P", CopyInDialog)
        pilot.app.screen.query_one("#host", Input).value = str(tmp_path / "new.txt")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press("n")
        await until(pilot, lambda: pilot.app.screen is screen)

        files.select("/testbed/d/a.txt")
        editor = await press(pilot, "E", EditFileScreen)
        await pilot.press(*"zero ")
        assert editor.dirty
        await pilot.press("ctrl+s")
        await until(pilot, lambda: len(done(screen)) == 4)
        await until(pilot, lambda: pilot.app.screen is screen)
        preview = screen.query_one(Preview)
        await until(pilot, lambda: "zero one" in "".join(preview.body.plain))
        await pilot.press("d")
        await until(pilot, lambda: "+1 -1" in str(preview.border_subtitle))

    screen, events = await at_the_second_call(server, kind, tmp_path, act)
    observation = next(
        x for x in events if isinstance(x, e.CallFinished) and x.call == 2
    ).observation
    assert "zero one\ntwo\nfrom the host" in observation
    assert [file.action for file in done(screen)] == ["pull", "pull", "push", "edit"]
    last = str(server.requests[2]["messages"][-1]["content"])
    assert "edited /testbed/d/a.txt" in last
    assert "+zero one" in last
    assert "new.txt" not in last
    assert [x for x in events if isinstance(x, e.HumanFile)] == done(screen)


async def test_a_file_that_the_model_changed_during_the_edit(
    scripted_server: Start, tmp_path: Path
) -> None:
    require("bubblewrap")
    server = scripted_server(
        s.call("execute_bash", command=MADE),
        s.call("execute_bash", command="cat d/a.txt"),
        s.call("submit"),
    )

    async def act(screen: LiveScreen, pilot: Pilot[int]) -> None:
        screen.query_one(FileTree).select("/testbed/d/a.txt")
        editor = await press(pilot, "E", EditFileScreen)
        await pilot.press(*"mine ", "ctrl+t")
        assert screen.run is not None
        screen.run.inject("echo three >>d/a.txt", tell=False)
        path = "/testbed/d/a.txt"
        await until(pilot, lambda: len(screen.state.files[path].history) == 2)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press("n")
        await until(pilot, lambda: pilot.app.screen is editor)
        assert editor.query_one(TextArea).text == "mine one\ntwo\n"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press("n")
        await until(pilot, lambda: pilot.app.screen is editor)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press("y")
        await until(pilot, lambda: pilot.app.screen is screen)

    screen, events = await at_the_second_call(server, "bubblewrap", tmp_path, act)
    assert [(file.action, file.told_to_model) for file in done(screen)] == [("edit", False)]
    observation = next(
        x for x in events if isinstance(x, e.CallFinished) and x.call == 2
    ).observation
    assert "mine one\ntwo" in observation
    assert "three" not in observation


async def test_contents_that_were_not_stored_are_fetched(
    scripted_server: Start, tmp_path: Path
) -> None:
    """A file too large to keep is read from the sandbox, in full where all of it is needed."""
    require("bubblewrap")
    server = scripted_server(
        s.call("execute_bash", command=MADE),
        s.call("execute_bash", command="true"),
        s.call("submit"),
    )

    async def act(screen: LiveScreen, pilot: Pilot[int]) -> None:
        screen.query_one(FileTree).select("/testbed/d/large.txt")
        preview = screen.query_one(Preview)
        await until(pilot, lambda: "the first 262k of 400k" in str(preview.border_subtitle))
        view = await press(pilot, "o", FileViewScreen)
        whole = view.query_one(Preview)
        await until(pilot, lambda: str(whole.border_subtitle) == "1 line")
        assert sum(line.count("x") for line in whole.body.plain) == 400_000
        await pilot.press("escape")
        screen.query_one(FileTree).select("/testbed/d/large.txt")

    await at_the_second_call(server, "bubblewrap", tmp_path, act)
