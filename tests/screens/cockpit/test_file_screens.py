"""Files on the replay screen: preview, diff, filter, whole view, copies."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.files.choose_version import ChooseVersionDialog
from sandbox_tui.tui.screens.files.copy_files import CopyOutDialog
from sandbox_tui.tui.screens.files.edit_file import TextForm
from sandbox_tui.tui.screens.files.file_view import FileViewScreen
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.terminal_io import image_protocols
from sandbox_tui.tui.terminal_io import open_external as outside
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.path_input import completed
from sandbox_tui.tui.widgets.preview.preview import Preview
from tests.unit.event_streams import started
from tests.waiting import until

ROOT = "/testbed"


def png(width: int = 40, height: int = 20) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (width, height), "#ff0000").save(data, "PNG")
    return data.getvalue()


class Clock:
    """A clock that advances only when told to."""

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        return self._now

    def pass_by(self, seconds: float) -> None:
        self._now += seconds


class Session:
    """A session made of file changes."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder / "s.db")
        self._events: list[e.AnyEvent] = [started("r")]

    def change(
        self, path: str, data: bytes | None, what: str = "modified", **more: Any
    ) -> e.FileChange:
        blob = None if data is None else self.store.put_blob("r", data)
        fields = {"kind": "file", "size": len(data or b""), "blob": blob, **more}
        return e.FileChange(path=f"{ROOT}/{path}", change=what, **fields)  # type: ignore[arg-type]

    def add(self, event: e.AnyEvent) -> None:
        number = len(self._events) + 1
        self._events.append(msgspec.structs.replace(event, seq=number, t=number * 0.1))

    def finish(self) -> None:
        self.store.append("r", self._events)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    made = Session(tmp_path)
    c = made.change
    first = "".join(f"line {n}\n" for n in range(40)).encode()
    second = first.replace(b"line 5\n", b"line five\n")
    third = second.replace(b"line 30\n", b"")
    made.add(
        e.FilesListed(
            files=(
                c("in", None, "created", kind="dir"),
                c("in/data.csv", b"a,b\n1,2\n", "created"),
                c("code.py", first, "created"),
                c(
                    "evil\x1b]0;x\x07.txt",
                    b"\x1b[2J\x1b]52;c;QQ==\x07 needle \xe2\x80\xae",
                    "created",
                ),
                c("huge.bin", None, "created", size=5_000_000),
            )
        )
    )
    made.add(e.FilesChanged(step=1, changes=(c("code.py", second),)))
    made.add(
        e.FilesChanged(
            step=3, changes=(c("code.py", third), c("out.json", b'{"x": [1, 2]}', "created"))
        )
    )
    made.add(
        e.FilesChanged(
            step=4, changes=(c("in/data.csv", None, "deleted"), c("p.png", png(), "created"))
        )
    )
    made.add(e.FilesChanged(step=4, changes=(c("broken.png", png()[:60], "created"),)))
    made.add(e.FilesChanged(step=4, changes=(c("page.html", b"<h1>hi</h1>", "created"),)))
    made.add(
        e.HumanFile(
            id=1,
            action="edit",
            path=f"{ROOT}/code.py",
            told_to_model=True,
            diff="--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\x1b[2J",
        )
    )
    made.add(e.Warned(text="the end"))
    made.finish()
    return made


@asynccontextmanager
async def replayed(
    session: Session, size: tuple[int, int] = (160, 45)
) -> AsyncIterator[tuple[Cockpit, Pilot[int]]]:
    app = SandboxTui(load({}), session.store, session.store.run("r"))
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Cockpit))
        screen = app.screen
        assert isinstance(screen, Cockpit)
        await pilot.press("dollar_sign", "3")
        await until(
            pilot, lambda: len(screen.state.files) == 9 and screen.query_one(FileTree).has_focus
        )
        yield screen, pilot


async def choose(screen: Cockpit, pilot: Pilot[int], path: str) -> Preview:
    preview = screen.query_one(Preview)
    assert screen.query_one(FileTree).select(f"{ROOT}/{path}")
    await until(pilot, lambda: preview.path == f"{ROOT}/{path}")
    return preview


async def test_d_goes_from_content_to_last_change_to_all_changes(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        preview = await choose(screen, pilot, "code.py")
        assert preview.border_subtitle == "39 lines"
        await pilot.press("d")
        assert preview.border_subtitle == "step 1 → now · +0 -1"
        assert "- line 30" in preview.body.plain
        await pilot.press("d")
        assert preview.border_subtitle == "beginning → now · +1 -2"
        assert "+ line five" in preview.body.plain
        await pilot.press("d")
        assert preview.border_subtitle == "39 lines"


async def test_any_earlier_step_can_be_chosen(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        preview = await choose(screen, pilot, "code.py")
        await pilot.press("D")
        await until(pilot, lambda: isinstance(screen.app.screen, ChooseVersionDialog))
        options = screen.app.screen.query_one(OptionList)
        assert [str(options.get_option_at_index(i).prompt) for i in range(2)] == [
            "step 1",
            "beginning",
        ]
        await pilot.press("down", "enter")
        await until(pilot, lambda: preview.border_subtitle == "beginning → now · +1 -2")
        await choose(screen, pilot, "out.json")
        await pilot.press("d")
        assert preview.border_subtitle == "before it existed → now · +1 -0"


async def test_the_diff_follows_the_moment(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        preview = await choose(screen, pilot, "code.py")
        await pilot.press("d")
        screen.seek(3)  # type: ignore[attr-defined]
        await until(pilot, lambda: preview.border_subtitle == "beginning → now · +1 -1")
        screen.seek(2)  # type: ignore[attr-defined]
        await until(pilot, lambda: preview.border_subtitle == "no earlier version")


async def test_side_by_side_where_there_is_room(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        await choose(screen, pilot, "code.py")
        await pilot.press("d", "o")
        await until(pilot, lambda: isinstance(screen.app.screen, FileViewScreen))
        body = screen.app.screen.query_one(Preview).body
        await until(
            pilot,
            lambda: (
                any("30 - line 30" in line for line in body.plain)
                or any("31 - line 30" in line for line in body.plain)
            ),
        )
        assert all("│" in line for line in body.plain if "line" in line)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(screen.app.screen, HelpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(screen.app.screen, FileViewScreen))
        await pilot.press("escape")
        await until(pilot, lambda: screen.app.screen is screen)


async def test_a_deleted_file_shows_what_it_was(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        preview = await choose(screen, pilot, "in/data.csv")
        assert "was deleted" in " ".join(preview.body.plain[:2])
        assert ["a", "│", "b"] in [line.split() for line in preview.body.plain]
        await pilot.press("d")
        assert preview.border_subtitle == "beginning → now · +0 -2"


async def test_the_border_names_the_key_that_makes_room_for_long_lines(session: Session) -> None:
    last = session.store.run("r").last_seq
    long = e.FilesChanged(step=5, changes=(session.change("code.py", b"word " * 16),))
    session.store.append("r", [msgspec.structs.replace(long, seq=last + 1, t=9.0)])
    async with replayed(session) as (screen, pilot):
        preview = await choose(screen, pilot, "code.py")
        await until(pilot, lambda: preview.border_subtitle == "1 line · z wider")
        await pilot.press("z")
        await until(pilot, lambda: preview.border_subtitle == "1 line")
        await pilot.press("z")
        await until(pilot, lambda: preview.border_subtitle == "1 line · z wider")
        await choose(screen, pilot, "out.json")
        await until(pilot, lambda: "wider" not in str(preview.border_subtitle))


async def test_v_switches_to_the_source(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        preview = await choose(screen, pilot, "out.json")
        assert preview.body.plain[1].startswith("  ▾ x [2]")
        await pilot.press("v")
        assert preview.body.plain == ['{"x": [1, 2]}']
        await pilot.press("v")
        preview.body.focus()
        await pilot.press("down", "down", "enter")
        assert preview.body.plain == ["▾ {1}", "  ▸ x [2]"]


async def test_a_slow_preview_does_not_hold_up_the_tree(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow preview, such as the first one that has to load syntax highlighting."""
    clock = Clock()
    monkeypatch.setattr("sandbox_tui.tui.screens.cockpit.file_panes.time", clock)
    async with replayed(session) as (screen, pilot):
        shown = Preview.show
        monkeypatch.setattr(Preview, "show", lambda *given: (clock.pass_by(3600), shown(*given))[1])
        for step, name in enumerate(("one", "two", "three"), 5):
            change = session.change(name, b"new\n", "created")
            await screen.apply(e.FilesChanged(step=step, changes=(change,)))
            await until(
                pilot, lambda name=name: screen.query_one(FileTree).select(f"{ROOT}/{name}")
            )


async def test_filter_as_one_types(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        files = screen.query_one(FileTree)
        await pilot.press("slash", *"json")
        await until(pilot, lambda: files.block_count() == 1)
        await pilot.press("enter")
        await until(pilot, lambda: screen.app.screen is screen)
        assert files.current is not None
        assert files.current.name == "out.json"
        assert "“json” 1" in str(files.border_subtitle)
        await pilot.press("escape")
        assert files.block_count() == 9
        assert screen.app.screen is screen
        await pilot.press("slash", "x", "escape")
        await until(pilot, lambda: files.block_count() == 9 and screen.app.screen is screen)


async def test_the_preview_follows_when_another_file_comes_under_the_cursor(
    session: Session,
) -> None:
    async with replayed(session) as (screen, pilot):
        files, preview = screen.query_one(FileTree), screen.query_one(Preview)
        await pilot.press("slash", "p", "a")  # page.html
        await until(pilot, lambda: preview.path.endswith("page.html"))
        await pilot.press("backspace", ".", "p")  # p.png, which takes the same row
        await until(pilot, lambda: files.block_count() == 1)
        await until(pilot, lambda: preview.path.endswith("p.png"))


async def test_search_in_the_whole_file(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        await choose(screen, pilot, "code.py")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(screen.app.screen, FileViewScreen))
        body = screen.app.screen.query_one(Preview).body
        await pilot.press("slash", *"line 2", "enter")
        await until(pilot, lambda: body.cursor == 2)
        await pilot.press("n")
        assert body.cursor == 20
        await pilot.press("N")
        assert body.cursor == 2
        await pilot.press("slash")
        field = screen.app.screen.query_one(Input)
        field.value = "no such words"
        await pilot.press("enter")
        await until(pilot, lambda: body.has_focus)
        assert body.cursor == 2


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20), (40, 10)])
async def test_nothing_hostile_is_drawn(session: Session, size: tuple[int, int]) -> None:
    async with replayed(session, size) as (screen, pilot):
        await choose(screen, pilot, "evil\x1b]0;x\x07.txt")
        for key in ("d", "v", "o", "escape", "p", "escape"):
            await pilot.press(key)
            await pilot.pause()
            for line in _drawn(screen.app):
                assert sanitize(line, newlines=False, tabs=False) == line


def _drawn(app: Any) -> list[str]:
    return [
        "".join(segment.text for segment in strip)
        for strip in app.screen._compositor.render_strips()
    ]


async def test_a_picture_is_drawn_and_a_broken_one_is_named(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        preview = await choose(screen, pilot, "p.png")
        await until(pilot, lambda: preview.has_class("-picture"))
        picture = preview.query_one("#preview-picture").children[0]
        assert picture.region.width > 10
        assert preview.body.plain == [f"PNG picture, 40 × 20 pixels, {len(png())}B"]
        await choose(screen, pilot, "broken.png")
        await until(pilot, lambda: "broken" in preview.body.plain[0])
        assert not preview.has_class("-picture")
        await choose(screen, pilot, "code.py")
        assert preview.body.region.height > 3


async def test_without_a_way_to_draw_pictures(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_protocols, "_found", ["none"])
    async with replayed(session) as (screen, pilot):
        preview = await choose(screen, pilot, "p.png")
        await pilot.pause(0.2)
        assert not preview.has_class("-picture")
        assert preview.body.plain[0].startswith("PNG picture")


async def test_contents_that_were_not_stored(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        preview = await choose(screen, pilot, "huge.bin")
        assert "content not saved" in preview.body.plain[0]
        await pilot.press("o")
        await until(pilot, lambda: isinstance(screen.app.screen, FileViewScreen))


async def test_copies_of_what_was_kept(session: Session, tmp_path: Path) -> None:
    async with replayed(session) as (screen, pilot):
        for path in ("code.py", "evil\x1b]0;x\x07.txt"):
            await choose(screen, pilot, path)
            await pilot.press("p")
            await until(pilot, lambda: isinstance(screen.app.screen, CopyOutDialog))
            screen.app.screen.query_one(Input).value = str(tmp_path / "out")
            await pilot.press("enter")
        await until(pilot, lambda: len(list((tmp_path / "out").glob("*"))) == 2)
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "code.py",
        "evil␛]0;x␇.txt",
    ]
    assert b"line five" in (tmp_path / "out" / "code.py").read_bytes()


async def test_a_file_as_the_folder_for_copies_is_named_at_the_field(
    session: Session, tmp_path: Path
) -> None:
    async with replayed(session) as (screen, pilot):
        await choose(screen, pilot, "code.py")
        await pilot.press("p")
        await until(pilot, lambda: isinstance(screen.app.screen, CopyOutDialog))
        line = screen.app.screen.query_one(Input)
        line.value = str(tmp_path / "s.db")
        await pilot.press("enter")
        await until(pilot, lambda: line.has_class("-wrong"))
        assert line.border_subtitle == "this is a file: enter a folder"
        await pilot.press("backspace")
        await until(pilot, lambda: not line.has_class("-wrong"))


async def test_files_are_not_changed_in_a_replay(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        await choose(screen, pilot, "code.py")
        shown = {
            active.binding.action for active in screen.active_bindings.values() if active.enabled
        }
        assert "screen.pull_file" in shown
        assert not {"screen.push_file", "screen.edit_file"} & shown
        await pilot.press("P")
        assert screen.app.screen is screen


async def test_a_page_is_opened_from_a_private_copy(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >{seen}.new; mv {seen}.new {seen}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    async with replayed(session) as (screen, pilot):
        await choose(screen, pilot, "page.html")
        assert not seen.exists()
        await pilot.press("O")
        await until(pilot, seen.exists)
    opened = Path(seen.read_text().strip())
    assert opened.read_bytes() == b"<h1>hi</h1>"
    assert opened.parent.parent.stat().st_mode & 0o77 == 0


def test_which_program_opens_a_file() -> None:
    assert outside.opener({"BROWSER": "lynx -x %s:other"}, page=True) == ["lynx", "-x"]
    assert outside.opener({}, page=True) is None
    assert not outside.may_be_opened("run.sh")
    assert not outside.may_be_opened("x.desktop")
    assert outside.may_be_opened("/a/B.PDF")


def test_paths_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "alpha").mkdir()
    (tmp_path / "alpha" / "file.txt").touch()
    (tmp_path / "al\x1bpha").touch()
    (tmp_path / ".hidden").touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert completed(f"{tmp_path}/al") == f"{tmp_path}/alpha/"
    assert completed(f"{tmp_path}/alpha/") == f"{tmp_path}/alpha/file.txt"
    assert completed("~/al") == "~/alpha/"
    assert completed(f"{tmp_path}/.h") == f"{tmp_path}/.hidden"
    assert completed(f"{tmp_path}/none/x") is None
    assert completed("a\0b/") is None
    assert completed("") is None


@pytest.mark.parametrize(
    "data", [b"a\nb", b"a\r\nb\r\n", b"\xef\xbb\xbfx\n", b"", b"\ttab\n", "grün".encode()]
)
def test_a_text_comes_back_byte_for_byte(data: bytes) -> None:
    form = TextForm("x", data)
    assert form.data(form.text) == data
    assert "\r" not in form.text


@pytest.mark.parametrize("data", [b"\xff", b"a\x1b[2J", b"a\r\nb\n", "\u202e".encode(), b"a\0"])
def test_files_that_cannot_be_edited(data: bytes) -> None:
    with pytest.raises(Exception, match="edit it in a shell"):
        TextForm("x", data)


async def test_a_folder_has_no_diff_and_says_so(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        bar = screen.query_one(KeyBar)
        await choose(screen, pilot, "code.py")
        await until(pilot, lambda: "d diff" in bar.render_line(0).text)
        await choose(screen, pilot, "in")
        await until(pilot, lambda: "d diff" not in bar.render_line(0).text)
        await pilot.press("d")
        await until(pilot, lambda: bool(shown_toasts(screen.app)))
        (toast,) = shown_toasts(screen.app)
        assert toast.message.endswith("This is a folder; move to a file.")
        preview = await choose(screen, pilot, "code.py")
        await until(pilot, lambda: "d diff" in bar.render_line(0).text)
        await pilot.press("d")
        await until(pilot, lambda: preview.against == "previous")


async def test_a_folder_offers_what_a_folder_can_do(session: Session) -> None:
    async with replayed(session) as (screen, pilot):
        files, bar = screen.query_one(FileTree), screen.query_one(KeyBar)

        def offered() -> str:
            return " ".join(known.words for known in bar.keys_shown)

        assert files.select(f"{ROOT}/code.py")
        await until(pilot, lambda: "full file" in offered())
        assert "collapse" not in offered()
        assert files.select(f"{ROOT}/in")
        await until(pilot, lambda: "collapse" in offered())
        assert "full file" not in offered()
        assert screen.why_unavailable("edit_file", ()) == "a replay cannot be changed"
        assert screen.why_unavailable("open_file", ()) == "this is a folder; move to a file"
        await pilot.press("enter")
        await until(pilot, lambda: "expand" in offered())
