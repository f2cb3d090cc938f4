"""The list of calls: filters, search, and the key hints."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from textual.app import App, ComposeResult

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.tools.edit_preview import EditedFile
from sandbox_tui.themes import load_themes
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.theming.palette import palette_of, to_textual
from sandbox_tui.tui.widgets.block_list import SCROLL_LINES
from sandbox_tui.tui.widgets.calls.approval_bar import ApprovalBar, names_in
from sandbox_tui.tui.widgets.calls.call_document import MODEL_READS, CallDocument
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.edited_file import EditedFiles
from sandbox_tui.tui.widgets.calls.rows.call_rows import call_lines
from sandbox_tui.tui.widgets.calls.rows.reply_rows import reply_height, reply_lines
from sandbox_tui.tui.widgets.calls.rows.waiting_rows import waiting_lines
from sandbox_tui.tui.widgets.calls.search.call_filter import FILTERS, contains
from tests.unit.core.events.test_reply_calls import FIRST, proposed
from tests.unit.event_streams import started
from tests.unit.tui.widgets.test_preview_kinds import PALETTE


def bash(number: int, command: str, answer: str, *, ok: bool = True) -> Iterable[e.AnyEvent]:
    call = e.ToolCall(
        number=number,
        step=number,
        id=f"c{number}",
        name="execute_bash",
        arguments=json.dumps({"command": command}),
    )
    yield from answered(call, answer, ok=ok)


def answered(call: e.ToolCall, answer: str, *, ok: bool = True) -> Iterable[e.AnyEvent]:
    yield e.CallProposed(call=call)
    yield e.CallDecided(call=call.number, verdict="approve", by="policy")
    yield e.CallStarted(call=call.number)
    yield e.CallFinished(call=call.number, observation=answer, ok=ok, exit_code=0 if ok else 1)


def a_run() -> RunState:
    edit = e.ToolCall(
        number=2,
        step=2,
        id="c2",
        name="str_replace_editor",
        arguments=json.dumps({"command": "create", "path": "/testbed/a.py", "file_text": "x = 1"}),
    )
    state = RunState()
    events = [
        e.ModelDelta(step=1, channel="text", text="I look for Needles first."),
        *bash(1, "grep needle *.txt", "haystack.txt: a needle"),
        *answered(edit, "File created."),
        e.HumanMessage(id=1, text="mind the hay"),
        *bash(3, "false", "nothing", ok=False),
        e.Warned(text="the disk is nearly full"),
    ]
    for seq, event in enumerate(events, 1):
        state.apply(msgspec.structs.replace(event, seq=seq, t=seq / 10))
    return state


class OneList(App[None]):
    """An app with only the list."""

    def __init__(self, state: RunState, *, autoselect: bool = False, task: str = "") -> None:
        super().__init__()
        self.run_task = task
        self.state = state
        self.autoselect = autoselect
        for theme in load_themes()[0].values():
            self.register_theme(to_textual(theme))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield Calls(self.state, task=self.run_task, autoselect=self.autoselect, id="calls")

    def on_mount(self) -> None:
        self.theme = "lamplight"
        self.query_one(Calls).show(self.state, 5.0)
        self.query_one(Calls).focus()


def shown_text(calls: Calls) -> str:
    width = calls.scrollable_content_region.width
    blocks = range(calls.block_count())
    return "\n".join(line.plain for block in blocks for line in calls.draw_block(block, width))


async def test_filters_show_what_they_say() -> None:
    app = OneList(a_run())
    async with app.run_test(size=(80, 30)) as pilot:
        calls = app.query_one(Calls)
        texts: dict[str, str] = {}
        for name in FILTERS:
            texts[name] = shown_text(calls)
            await pilot.press("f")
        assert "grep needle" in texts["all"]
        assert "mind the hay" in texts["all"]
        assert "false" in texts["failed"]
        assert "grep" not in texts["failed"]
        assert "create a.py" in texts["edits"]
        assert "false" not in texts["edits"]
        assert texts["yours"].count("mind the hay") >= 1
        assert "grep" not in texts["yours"]
        assert "Needles first" in texts["text"]
        assert shown_text(calls) == texts["all"], "round again"


async def test_a_list_that_has_left_the_screen_draws_no_title() -> None:
    app = OneList(a_run())
    async with app.run_test(size=(80, 30)):
        calls = app.query_one(Calls)
        await calls.remove()
        calls.watch_following(following=True)


async def test_the_cursor_leaves_items_that_the_filter_hides() -> None:
    app = OneList(a_run())
    async with app.run_test(size=(80, 30)) as pilot:
        calls = app.query_one(Calls)
        assert calls.current is None
        await pilot.press("f")
        failed = app.state.calls[3]
        assert calls.last_shown is failed, "the note below it is not an error"
        await pilot.press("f", "f", "f", "f", "home", "down")
        assert calls.current is app.state.calls[1]
        await pilot.press("f")
        assert calls.current is failed, "the next one"
        await pilot.press("f")
        assert calls.current is app.state.calls[2], "none comes after it: the last one"


async def test_calls_that_the_end_of_the_run_kept_from_running_are_not_counted() -> None:
    state = a_run()
    app = OneList(state)
    async with app.run_test(size=(80, 30)):
        calls = app.query_one(Calls)
        for number in (4, 5):
            state.apply(next(iter(bash(number, "rm x", ""))))
        state.apply(e.CallHeld(seq=20, call=4))
        calls.sync(6.0)
        assert str(calls.border_title) == "calls 5"
        assert shown_text(calls).count("waits for you") == 1
        state.apply(
            e.RunFinished(seq=21, reason="cancelled", error="You ended the run.", totals=e.Totals())
        )
        calls.sync(7.0)
        assert str(calls.border_title) == "calls 3"
        assert "waits for you" not in shown_text(calls)
        assert shown_text(calls).count("not run") == 2


async def test_a_filter_keeps_up_with_what_comes() -> None:
    state = a_run()
    app = OneList(state)
    async with app.run_test(size=(80, 30)) as pilot:
        calls = app.query_one(Calls)
        await pilot.press("f")
        before = calls.block_count()
        for event in bash(4, "exit 3", "went wrong", ok=False):
            state.apply(event)
            calls.sync(6.0)
        for event in bash(5, "true", "went well"):
            state.apply(event)
            calls.sync(7.0)
        assert calls.block_count() == before + 1
        assert "exit 3" in shown_text(calls)
        assert "true" not in shown_text(calls)


async def test_search_goes_from_hit_to_hit_and_round() -> None:
    app = OneList(a_run())
    async with app.run_test(size=(80, 30)) as pilot:
        calls = app.query_one(Calls)
        assert calls.find("needle") == "1 of 2 found"
        first = calls.cursor
        await pilot.press("n")
        assert calls.cursor != first
        assert "a needle" in shown_text(calls), "a hit is opened"
        await pilot.press("n")
        assert calls.cursor == first
        await pilot.press("N")
        assert calls.cursor != first
        assert calls.find("Needle") == "1 of 1 found", "a capital counts"
        assert calls.find("no such thing") == "no matches"
        assert calls.find("") == ""
        cursor = calls.cursor
        await pilot.press("n")
        assert calls.cursor == cursor, "nothing is looked for"


@pytest.mark.parametrize("words", ["[", "(", "\\", "*", "a.py", "x = 1"])
async def test_any_text_can_be_searched_for(words: str) -> None:
    app = OneList(a_run())
    async with app.run_test(size=(80, 30)):
        calls = app.query_one(Calls)
        calls.find(words)
        assert shown_text(calls)
        expected = any(contains(item, words) for item in app.state.items)
        assert (calls.find(words) != "no matches") == expected


def replies(*events: e.AnyEvent) -> RunState:
    import msgspec

    state = RunState()
    for seq, event in enumerate(events, 1):
        state.apply(msgspec.structs.replace(event, seq=seq, t=seq / 10))
    return state


def replied(text: str, reasoning: str = "") -> e.ModelReplied:
    return e.ModelReplied(
        step=1,
        message={},
        text=text,
        reasoning=reasoning,
        usage=e.Usage(),
        finish_reason="stop",
        latency=1.0,
    )


async def test_a_reply_without_calls_says_what_ended_it() -> None:
    state = replies(
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelDelta(step=1, channel="text", text="I would rather"),
        e.ReplyInterrupted(step=1),
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelReplied(
            step=1, message={}, text="words", reasoning="", usage=e.Usage(), finish_reason="stop",
            latency=1.0, reminder="call one",
        ),
    )  # fmt: skip
    app = OneList(state)
    async with app.run_test(size=(80, 20)):
        palette = palette_of(app.query_one(Calls))
        stopped, reminded = state.items
        for item, said in ((stopped, "I would rather"), (reminded, "words")):
            drawn = [line.plain for line in reply_lines(item, 76, 9.0, False, palette)]  # type: ignore[arg-type]
            assert len(drawn) == reply_height(item, 76, False) == 3  # type: ignore[arg-type]
            assert said in drawn[1]
            assert item.remark in drawn[2]  # type: ignore[union-attr]
            assert "✗" not in "".join(drawn)
    assert "stopped by you" in reply_lines(stopped, 76, 9.0, False, palette)[0].plain  # type: ignore[arg-type]


async def test_the_task_is_read_until_the_first_words_arrive() -> None:
    task = "Count the grains of sand. " * 60 + "\nThen stop."
    state = RunState()
    state.apply(msgspec.structs.replace(started(task=task), seq=1))
    state.apply(e.ModelAsked(seq=2, step=1, digest="", messages=2))
    app = OneList(state, task=task)
    async with app.run_test(size=(80, 30)) as pilot:
        calls = app.query_one(Calls)
        calls.sync(1.0)
        await pilot.pause()
        drawn = [line.plain for line in calls.draw_block(0, 76)]
        assert drawn[0].startswith("task  Count the grains")
        assert len(drawn) == calls.block_height(0, 76) == 15 + 1 + 1
        assert "more lines" in drawn[-2]
        state.apply(e.ModelDelta(seq=3, step=1, channel="text", text="I count."))
        calls.sync(2.0)
        drawn = [line.plain for line in calls.draw_block(0, 76)]
        assert len(drawn) == calls.block_height(0, 76) == 2 + 1
        assert drawn[1].endswith(" …")


async def test_a_reply_is_read_as_it_comes_and_folds_when_a_call_begins() -> None:
    state = replies(
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelDelta(step=1, channel="reasoning", text="The data is unknown.\nI look."),
        e.ModelDelta(step=1, channel="text", text="# Plan\n\n1. **look**\n"),
    )
    app = OneList(state)
    async with app.run_test(size=(80, 12)) as pilot:
        calls = app.query_one(Calls)
        thought, said = shown_text(calls).split("Plan")
        assert "│ The data is unknown." in thought
        assert "1 look" in said
        for number in range(2, 12):
            state.apply(e.ModelDelta(step=1, channel="text", text=f"{number}. item\n"))
        calls.sync(6.0)
        await pilot.pause()
        assert calls.following
        # the newest line is in view
        assert "11 item" in calls.render_line(calls.size.height - 1).text
        state.apply(replied("# Plan\n\n1. **look**\n", "The data is unknown.\nI look."))
        call = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments="{}")
        state.apply(e.CallProposed(call=call))
        calls.sync(7.0)
        assert "▾     │ The data is unknown." in shown_text(calls)
        state.apply(e.CallStarted(call=1))
        calls.sync(8.0)
        folded = shown_text(calls)
        assert "▸     Plan 1 look" in folded
        assert "The data is unknown." not in folded
        await pilot.press("home", "enter")
        assert "The data is unknown." in shown_text(calls)


async def test_long_thinking_opens_in_full() -> None:
    thoughts = "\n".join(f"thought {number}" for number in range(30))
    state = replies(
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelDelta(step=1, channel="reasoning", text=thoughts),
    )
    app = OneList(state)
    async with app.run_test(size=(80, 40)) as pilot:
        calls = app.query_one(Calls)
        assert "thinking · 319 characters" in shown_text(calls)
        assert "│ thought 0" in shown_text(calls), "there are free rows for all of it"
        assert "│ thought 29" in shown_text(calls)
        state.apply(replied("I look.", thoughts))
        calls.sync(6.0)
        assert "▸     thought · 319 characters · thought 0 thought 1" in shown_text(calls)
        await pilot.press("home", "enter")
        assert "│ thought 29" in shown_text(calls)
        assert "I look." in shown_text(calls)
        await pilot.press("enter")
        assert "│ thought" not in shown_text(calls)


async def test_a_reply_that_is_being_read_does_not_fold() -> None:
    state = replies(
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelDelta(step=1, channel="text", text="\n\n".join(f"word {n}" for n in range(30))),
    )
    app = OneList(state)
    async with app.run_test(size=(80, 12)) as pilot:
        calls = app.query_one(Calls)
        await pilot.press("home")
        before = [calls.render_line(y).text for y in range(2, calls.size.height)]
        assert "word 0" in calls.render_line(1).text
        state.apply(replied("\n\n".join(f"word {n}" for n in range(30))))
        for event in bash(1, "ls", "a file"):
            state.apply(event)
        calls.sync(7.0)
        await pilot.pause()
        assert [calls.render_line(y).text for y in range(2, calls.size.height)] == before


async def test_up_goes_a_little_up_in_a_long_reply_that_is_followed_and_end_follows_again() -> None:
    state = replies(
        e.ModelAsked(step=1, digest="", messages=1),
        e.ModelDelta(step=1, channel="text", text="line\n\n" * 200),
    )
    app = OneList(state)
    async with app.run_test(size=(60, 20)) as pilot:
        calls = app.query_one(Calls)
        calls.focus()
        calls.sync(1.0)
        await pilot.pause()
        end = calls.scroll_offset.y
        assert end > 100
        await pilot.press("up")
        assert calls.scroll_offset.y == end - SCROLL_LINES
        await pilot.press("up")
        assert calls.scroll_offset.y == end - 2 * SCROLL_LINES
        assert not calls.following
        await pilot.press("end")
        assert (calls.scroll_offset.y, calls.following) == (end, True)


async def test_up_at_the_first_item_moves_nothing_and_keeps_following() -> None:
    state = replies(e.ModelAsked(step=1, digest="", messages=1), replied("short"))
    app = OneList(state)
    async with app.run_test(size=(60, 20)) as pilot:
        calls = app.query_one(Calls)
        calls.focus()
        calls.sync(1.0)
        calls.cursor = 0
        calls.following = True
        await pilot.press("k")
        assert (calls.cursor, calls.following) == (0, True)


async def test_a_failed_attempt_and_its_partial_reply_have_their_own_lines() -> None:
    state = replies(
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelDelta(step=1, channel="text", text="I begin"),
        e.ModelFailed(step=1, error="It broke off.", attempt=1, retry_in=1.0),
        e.ModelAsked(step=1, digest="", messages=2, attempt=2),
    )
    app = OneList(state)
    async with app.run_test(size=(80, 20)):
        lines = shown_text(app.query_one(Calls)).split("\n")
        assert lines[1].endswith("I begin")
        assert "! try 1 failed: It broke off." in lines[2]
        assert "The model was asked again." in lines[3]
        palette = palette_of(app.query_one(Calls))
        drawn = reply_lines(state.items[0], 76, 9.0, False, palette)  # type: ignore[arg-type]
        assert len(drawn) == reply_height(state.items[0], 76, False) == 4  # type: ignore[arg-type]


async def test_a_call_whose_reply_has_failed_is_written_no_more() -> None:
    events = (
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelDelta(step=1, channel="call", text='{"command": "ls', name="execute_bash"),
    )
    async with OneList(replies(*events)).run_test(size=(80, 20)) as pilot:
        assert "ls▌" in shown_text(pilot.app.query_one(Calls))
    failed = e.ModelFailed(step=1, error="It broke off.", attempt=1, retry_in=9.0)
    async with OneList(replies(*events, failed)).run_test(size=(80, 20)) as pilot:
        shown = shown_text(pilot.app.query_one(Calls))
        assert "It broke off." in shown
        assert "▌" not in shown


def waiting(**arguments: Any) -> RunState:
    name = "execute_bash" if set(arguments) == {"command"} else "str_replace_editor"
    call = e.ToolCall(number=1, step=1, id="c", name=name, arguments=json.dumps(arguments))
    return replies(e.CallProposed(call=call), e.CallHeld(call=1))


async def test_a_waiting_edit_is_a_diff_of_all_it_changes() -> None:
    old = "\n".join(f"line {n}" for n in range(40))
    state = waiting(
        command="str_replace",
        path="/testbed/a.py",
        old_str=old,
        new_str=old.replace("line 20", "row 20 " + "x" * 90 + "END"),
    )
    app = OneList(state)
    async with app.run_test(size=(60, 20)):
        lines = [line.strip() for line in shown_text(app.query_one(Calls)).split("\n")]
        assert "str_replace /testbed/a.py" in lines
        assert "- line 20" in lines
        first = next(n for n, line in enumerate(lines) if line.startswith("+ "))
        assert [line[:1] for line in lines].count("+") == 1
        # the line is shown to its end, in rows that do not look like further lines
        assert lines[first + 1].startswith("↳ ")
        assert lines[first + 1].endswith("END")
        for number in range(40):
            assert any(line.endswith(f"line {number}") for line in lines)


async def test_a_waiting_call_says_that_it_is_longer_than_the_view() -> None:
    state = waiting(command="\n".join(f"echo {n}" for n in range(40)))
    app = OneList(state, autoselect=True)
    async with app.run_test(size=(60, 20)) as pilot:
        calls = app.query_one(Calls)
        calls.sync(5.0)
        await pilot.pause()
        assert "echo 0" in calls.render_line(2).text
        assert calls.border_subtitle == "↓ more of call 1"
        for _ in range(20):
            await pilot.press("down")
        assert "more of" not in str(calls.border_subtitle)


async def test_an_edit_with_arguments_of_its_own_is_shown_field_by_field() -> None:
    state = waiting(command="create", path="/testbed/a.py", file_text="x = 1\n", mode="0777")
    app = OneList(state)
    async with app.run_test(size=(60, 20)):
        assert "mode: 0777" in shown_text(app.query_one(Calls))


def test_the_files_that_a_waiting_command_names_have_their_sizes() -> None:
    state = waiting(command="rm -rf data && cat < a.txt > out.txt; echo x >> b.txt")
    changes = [
        e.FileChange(path="/testbed/data", change="created", kind="dir"),
        e.FileChange(path="/testbed/a.txt", change="created", kind="file", size=2_000),
        e.FileChange(path="/testbed/b.txt", change="created", kind="file", size=3),
        e.FileChange(path="/testbed/other", change="created", kind="file", size=3),
    ]
    state.apply(e.FilesChanged(step=1, by="model", changes=tuple(changes)))
    assert state.pending is not None
    names = set(names_in(state.pending.call, state.files).split(" · "))
    assert names == {"data folder", "a.txt 2.0k", "out.txt new", "b.txt 3B, written"}


async def test_a_filter_without_matches_says_so() -> None:
    app = OneList(RunState())
    async with app.run_test(size=(80, 30)) as pilot:
        calls = app.query_one(Calls)
        assert not calls.render_line(0).text.strip()
        await pilot.press("f")
        assert "No failures so far." in calls.render_line(0).text
        assert "f changes the filter." in calls.render_line(1).text
        assert not calls.render_line(2).text.strip()


async def test_stderr_and_empty_output_are_labelled() -> None:
    state = RunState()
    answer = "Exit code: 1\n[STDOUT]\nout\n[STDERR]\nbad news"
    for event in [*bash(1, "x", answer, ok=False), *bash(2, "true", "")]:
        state.apply(event)
    app = OneList(state)
    async with app.run_test(size=(80, 30)):
        text = shown_text(app.query_one(Calls))
        assert "[STDERR]" not in text
        assert "on stderr:" in text
        assert "no output" in text
        assert "0 lines" not in text


async def test_a_call_that_was_text_names_its_format_and_what_was_repaired() -> None:
    call = e.ToolCall(
        number=1,
        step=1,
        id="c1",
        name="execute_bash",
        arguments='{"command": "ls"}',
        family="hermes",
        repaired="Single quotes were taken as double quotes.",
    )
    state = RunState()
    for event in (
        *answered(call, "a file"),
        e.ToolFormatChosen(format=e.ToolFormat(mode="text", family="hermes"), why="It wrote so."),
    ):
        state.apply(event)
    app = OneList(state)
    async with app.run_test(size=(80, 20)) as pilot:
        palette = palette_of(app.query_one(Calls))
        await pilot.pause()
        closed = "\n".join(map(str, call_lines(state.calls[1], 80, 0.0, False, palette)))
        opened = "\n".join(map(str, call_lines(state.calls[1], 80, 0.0, True, palette)))
    assert "as text (hermes, repaired)" in closed
    assert "Single quotes were taken as double quotes." not in closed
    assert "Single quotes were taken as double quotes." in opened
    assert state.tool_format.title == "text (hermes)"


async def test_a_waiting_insertion_is_shown_between_its_neighbouring_lines() -> None:
    content = "".join(f"line {n}\n" for n in range(1, 10))
    fields = {"command": "insert", "path": "/testbed/a.py", "insert_line": 5, "new_str": "new"}
    state = RunState()
    file = e.FileChange(path="/testbed/a.py", change="created", kind="file", size=70, blob="b")
    call = e.ToolCall(
        number=1, step=1, id="c1", name="str_replace_editor", arguments=json.dumps(fields)
    )
    for event in (
        e.FilesListed(files=(file,)),
        e.CallProposed(call=call),
        e.CallHeld(call=1, reason="", rule=""),
    ):
        state.apply(event)
    app = OneList(state)
    async with app.run_test(size=(80, 20)):
        palette = palette_of(app.query_one(Calls))
        edited = EditedFiles({"b": content.encode()}.get)
        preview = edited.preview(state.calls[1], state.files)
        rows = [line.plain.strip() for line in waiting_lines(state.calls[1], 80, palette, preview)]
        above, below = [f"{n}   line {n}" for n in (3, 4, 5)], ["7   line 6", "8   line 7"]
        around = [*above, "6 + new", *below, "9   line 8"]
        assert rows == ["insert /testbed/a.py, after line 5", *around]
        unknown = waiting_lines(state.calls[1], 80, palette)
        assert [line.plain.strip() for line in unknown][1:] == ["+ new"]
        assert EditedFiles({}.get).preview(state.calls[1], state.files) is None
        edited.read = 1, EditedFile(b"short\n")
        failing = edited.preview(state.calls[1], state.files)
        whole = [line.plain for line in CallDocument(state.calls[1], failing).lines(99, palette)]
        wrong = "! This call would fail: insert_line is 5, but the file has 1 line."
        assert whole[1:] == [wrong, "+ new"]


async def test_the_full_text_of_an_edited_call_is_a_diff_with_all_its_lines_counted() -> None:
    proposed = "".join(f"line {n}\n" for n in range(60))
    fields = {"command": "create", "path": "/testbed/a.py", "file_text": proposed}
    state = RunState()
    call = e.ToolCall(
        number=1, step=1, id="c", name="str_replace_editor", arguments=json.dumps(fields)
    )
    yours = json.dumps({**fields, "file_text": proposed.replace("line 7\n", "line seven\n")})
    for event in (
        e.CallProposed(call=call),
        e.CallDecided(call=1, verdict="edit", by="human", arguments=yours),
        e.CallFinished(call=1, observation="one\ntwo\nthree\n", exit_code=0, duration=1.0, ok=True),
    ):
        state.apply(event)
    app = OneList(state)
    async with app.run_test(size=(80, 20)):
        palette = palette_of(app.query_one(Calls))
        document = CallDocument(state.calls[1])
        shown = [line.plain for line in document.lines(70, palette)]
    assert shown[0] == "Edited by you: - is the model's, + is yours."
    assert [line for line in shown if line[:1] in ("-", "+")] == ["- line 7", "+ line seven"]
    assert shown.count("  line 8") == 1
    assert document.described(palette) == f"{len(shown)} lines"


async def test_the_full_text_of_a_call_without_arguments_begins_with_its_tool() -> None:
    state = RunState()
    call = e.ToolCall(number=1, step=1, id="c1", name="submit", arguments="{}")
    for event in answered(call, "<<< Finished >>>"):
        state.apply(event)
    app = OneList(state)
    async with app.run_test(size=(80, 20)):
        lines = CallDocument(state.calls[1]).lines(60, palette_of(app.query_one(Calls)))
    assert [line.plain for line in lines] == ["submit", "", MODEL_READS, "<<< Finished >>>"]


async def test_a_long_line_of_an_opened_call_is_wrapped_and_not_cut() -> None:
    traceback = "ModuleNotFoundError: No module named 'report_of_the_harbour_and_its_ships'"
    command = "python3 -c 'import report_of_the_harbour_and_its_ships; print(1)'"
    state = replies(*bash(1, command, f"first\n{traceback}\nlast", ok=False))
    app = OneList(state)
    async with app.run_test(size=(50, 30)):
        calls = app.query_one(Calls)
        rows = [line[6:].rstrip() for line in shown_text(calls).split("\n")]
        first = next(n for n, row in enumerate(rows) if row.startswith("ModuleNotFound"))
        assert rows[first + 1].startswith("↳ ")
        joined = "".join(row.removeprefix("↳ ") for row in rows).replace(" ", "")
        assert traceback.replace(" ", "") in joined
        assert command.replace(" ", "") in joined
        assert rows[first + 2] == "last" or rows[first + 3] == "last"
        assert all(len(line) <= 50 for line in shown_text(calls).split("\n"))


async def test_a_huge_line_of_an_opened_call_takes_little_room() -> None:
    state = replies(*bash(1, "cat x", "x" * 1_000_000 + "\nsecond\nthird", ok=False))
    app = OneList(state)
    async with app.run_test(size=(50, 30)):
        calls = app.query_one(Calls)
        text = shown_text(calls)
        assert text.count("\n") < 50
        assert "x…" in text
        assert "2 more lines" in text


class OneBar(OneList):
    """An app with the list and the bar of a waiting call."""

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield ApprovalBar()


async def test_the_files_that_a_waiting_command_names_are_those_of_now() -> None:
    state = waiting(command="cat answer.txt other.txt")

    def changed(name: str, change: Any) -> None:
        path = f"/testbed/{name}"
        one = e.FileChange(path=path, change=change, kind="file", size=18)
        state.apply(e.FilesChanged(step=1, by="human", changes=(one,)))

    changed("answer.txt", "created")
    app = OneBar(state)
    async with app.run_test(size=(100, 20)) as pilot:
        bar = app.query_one(ApprovalBar)
        bar.sync(state)
        await pilot.pause()
        assert "files it names: answer.txt 18B" in str(bar.render())
        for name, change, expected in (
            ("answer.txt", "deleted", "files it names: answer.txt (does not exist) · other.txt (d"),
            ("other.txt", "created", "files it names: other.txt 18B"),
            ("answer.txt", "created", "files it names: answer.txt 18B · other.txt 18B"),
        ):
            changed(name, change)
            bar.sync(state)
            await pilot.pause()
            assert expected in str(bar.render())
            assert ("files it names" in str(bar.render())) == bool(expected)


def test_a_newline_that_ends_an_observation_is_not_a_line() -> None:
    state = replies(*bash(1, "x", "one\ntwo\n"))
    shown = CallDocument(state.calls[1]).lines(60, PALETTE)
    assert [line.plain for line in shown] == ["x", "", MODEL_READS, "one", "two"]
    assert CallDocument(state.calls[1]).described(PALETTE) == "5 lines"


async def test_the_border_says_that_a_reply_grows_below() -> None:
    state = a_run()
    state.finished = None
    app = OneList(state)
    async with app.run_test(size=(80, 8)) as pilot:
        calls = app.query_one(Calls)
        state.apply(e.ModelAsked(step=9, digest="", messages=1))
        state.apply(e.ModelDelta(step=9, channel="text", text="I begin"))
        calls.sync(1.0)
        await pilot.press("home")
        assert "end = follow" in str(calls.border_subtitle)
        state.apply(e.ModelDelta(step=9, channel="text", text=" and go on"))
        calls.sync(2.0)
        assert "new below" in str(calls.border_subtitle)
        await pilot.press("end", "home")
        assert "end = follow" in str(calls.border_subtitle)


async def test_the_calls_to_come_stand_below_the_call_that_waits() -> None:
    state = RunState()
    for event in (*FIRST, proposed(2, 2, "b"), e.CallHeld(call=2)):
        state.apply(event)
    app = OneList(state, autoselect=True)
    async with app.run_test(size=(60, 30)) as pilot:
        calls = app.query_one(Calls)

        def below(place: int) -> list[str]:
            """The rows of calls to come in an item, and whether they belong to its height."""
            lines = [line.plain.strip() for line in calls.draw_block(place, 58)]
            assert calls.block_height(place, 58) == len(lines)
            return [line for line in lines if "not yet run" in line]

        assert [" ".join(line.split()) for line in below(3)] == [
            "3 bash c 2 of 3 · not yet run",
            "4 bash d 3 of 3 · not yet run",
        ]
        for event in (
            e.CallDecided(call=2, verdict="reject", by="human"),
            e.CallFinished(call=2, observation="no", ok=False),
        ):
            state.apply(event)
        calls.sync(6.0)
        assert len(below(3)) == 2  # the next call has not been proposed yet
        state.apply(proposed(3, 2, "c"))
        calls.sync(6.0)
        await pilot.pause()
        assert below(3) == []
        assert [line.split()[0] for line in below(4)] == ["4"]


async def test_a_list_that_grew_while_it_was_hidden_has_no_gaps() -> None:
    app = OneList(a_run())
    async with app.run_test(size=(58, 20)) as pilot:
        calls = app.query_one(Calls)
        await pilot.pause()
        calls.display = False
        await pilot.pause()
        text = "I look for more of them. " * 20
        events = [e.ModelDelta(step=2, channel="text", text=text), *bash(4, "sleep 1", "")]
        for seq, event in enumerate(events, 50):
            app.state.apply(msgspec.structs.replace(event, seq=seq, t=float(seq)))
            calls.sync(float(seq))
        calls.display = True
        await pilot.pause()
        lines = ["".join(part.text for part in calls.render_line(y)) for y in range(18)]
        assert "sleep 1" in "\n".join(lines)
        assert "false" in "\n".join(lines), "the calls before"


async def test_the_border_names_what_can_be_done_first_and_cuts_no_word() -> None:
    state = a_run()
    state.finished = None
    app = OneList(state)
    async with app.run_test(size=(24, 8)) as pilot:
        calls = app.query_one(Calls)
        calls.styles.border = ("round", "blue")
        await pilot.press("home")
        state.apply(e.Warned(text="more"))
        calls.sync(2.0)
        assert str(calls.border_subtitle) == "↓ new below · …"
        await pilot.resize_terminal(80, 8)
        await pilot.pause()
        assert str(calls.border_subtitle) == "↓ new below · 1 failed · 1 by you"


async def test_a_message_of_one_line_is_not_opened() -> None:
    state = RunState()
    for item, text in enumerate(("mind the hay", "a long one " * 20), 1):
        state.apply(e.HumanMessage(id=item, text=text))
    app = OneList(state)
    async with app.run_test(size=(60, 20)) as pilot:
        calls = app.query_one(Calls)
        await pilot.press("home")
        before = shown_text(calls)
        assert calls.why_unavailable("choose", ()) == "all of it is shown"
        await pilot.press("enter")
        assert shown_text(calls) == before
        await pilot.press("down")
        assert not calls.why_unavailable("choose", ())
        await pilot.press("enter")
        assert len(shown_text(calls)) > len(before)
