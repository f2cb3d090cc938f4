"""The form for a fork, on recorded sessions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input, Static, TextArea

from sandbox_tui.core.events import types as e
from sandbox_tui.core.models.demo_model import DemoModel
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import why_key_is_disabled
from sandbox_tui.tui.screens.dialogs.describe_fork import ForkDialog
from sandbox_tui.tui.screens.dialogs.edit_call import EditCallDialog
from sandbox_tui.tui.screens.fork_draft import ForkDraft
from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog
from sandbox_tui.tui.screens.home.start_anyway import StartAnywayDialog
from sandbox_tui.tui.screens.kept_fork_drafts import KeptForkDrafts
from sandbox_tui.tui.screens.messages import ForkRequested
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.model_offers import Offer
from tests.scripted_server import ScriptedServer
from tests.snapshots import test_looks as looks
from tests.waiting import until

store = looks.store

PARENT = "20260101-100000-first"


def form_at(app: SandboxTui, store: Store, at: str, run_id: str = PARENT) -> ForkDialog:
    plan = ForkPlan(store, store.run(run_id), at)
    return ForkDialog(plan, plan.request(app.settings.now, {}), store)


def shown_keys(app: SandboxTui) -> str:
    return app.screen.query_one(KeyBar).render_line(0).text


async def test_the_changed_call_returns_to_the_form_and_says_so(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.pause()
        subtitle = str(app.screen.query_one(".dialog").border_subtitle)
        assert subtitle == "ctrl+s use this call · esc cancel"
        assert "run it" not in shown_keys(app)
        await pilot.press("x", "ctrl+s")
        await until(pilot, lambda: app.screen is form)
        where = form.query_one("#where", Static)
        await until(pilot, lambda: "with call" in str(where.render()))
        assert str(where.render()).endswith(" changed:")


async def test_the_form_says_what_was_changed_and_where_it_forks_then(store: Store) -> None:
    async with looks.shown(store, (60, 20), None) as (app, pilot):
        form = form_at(app, store, "end")
        await app.push_screen(form)
        await pilot.pause()
        at, which = form.query_one("#at", Input), form.query_one("#which", Static)
        last = int(at.value)
        call = form._last_call()
        assert call is not None
        assert at.border_title == f"after step (0–{last})"
        assert f"f4 changes call {call.number} (" in str(which.render())
        assert f"forks before it, in step {call.step}." in str(which.render())
        assert str(form.query_one("#call", Button).label) == f"change call {call.number}"
        form._change_call()
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.pause()
        app.screen.dismiss(call.arguments.replace("solve.py", "other.py"))
        changed = form.query_one("#changed", Static)
        await until(pilot, lambda: changed.display)
        assert str(changed.render()).split("\n") == [
            "- path: /testbed/solve.py",
            "+ path: /testbed/other.py",
        ]
        assert (at.value, at.border_title) == (str(call.step), f"in step (0–{last})")
        assert not which.display
        box = form.query_one(".dialog")
        assert box.region.contains_region(form.query_one("#start", Button).region)


async def test_a_call_that_is_left_as_it_was_is_no_change(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        before = str(form.query_one("#where", Static).render())
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.pause()
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.screen is form)
        await pilot.pause()
        assert str(form.query_one("#where", Static).render()) == before
        assert not form.query_one("#changed", Static).display


async def test_the_model_is_chosen_as_for_a_new_run(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        assert "f3 models" in shown_keys(app)
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.screen, ChooseModelDialog))
        offer = Offer("qwen", "http://here:8000/v1", "vLLM")
        app.screen.dismiss(offer)
        model, url = form.query_one("#model", Input), form.query_one("#url", Input)
        await until(pilot, lambda: (model.value, url.value) == (offer.model, offer.base_url))


async def test_a_fork_of_the_demo_needs_no_server(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        plan = ForkPlan(store, store.run(PARENT), "step:3")
        request = replace(plan.request(app.settings.now, {}), model=DemoModel())
        form = ForkDialog(plan, request, store)
        await app.push_screen(form)
        await pilot.pause()
        url, model = form.query_one("#url", Input), form.query_one("#model", Input)
        assert (url.value, url.placeholder) == ("", "not needed")
        model.value = "gpt"
        await until(pilot, lambda: url.placeholder == "empty for OpenAI")
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.screen is form, "OpenAI needs a key"


async def test_no_call_can_be_changed_before_there_is_one(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = form_at(app, store, "step:0")
        await app.push_screen(form)
        await pilot.pause()
        assert not form.query_one("#call", Button).display
        assert "change the call" not in shown_keys(app)
        assert why_key_is_disabled(form, "f4") == "There is no call to change here."


@pytest.mark.parametrize("size", [(60, 20), (100, 30), (160, 45)])
async def test_the_form_opens_at_the_line_that_says_where_it_forks(
    store: Store, size: tuple[int, int]
) -> None:
    async with looks.shown(store, size, None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        assert form.query_one(".dialog").scroll_y == 0
        where = form.query_one("#where", Static)
        assert where.region.height > 0
        assert form.query_one(".dialog").region.contains_region(where.region)
        at = form.query_one("#at", Input)
        assert app.focused is at
        assert form.query_one(".dialog").region.contains_region(at.region)
        await pilot.press("2")
        await until(pilot, lambda: "step 2 of" in str(where.render()))
        assert form.query_one("#message", TextArea).text == ""
        await pilot.press("tab", "tab", *"go on")
        assert form.query_one("#message", TextArea).text == "go on"


async def test_after_a_submit_the_call_before_it_is_changed(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = form_at(app, store, "end")
        history = list(form._plan.fork_point.history)
        last = next(x.call for x in reversed(history) if isinstance(x, e.CallProposed))
        submit = e.ToolCall(number=last.number + 1, step=9, id="s", name="submit", arguments="{}")
        point = replace(form._plan.fork_point, history=[*history, e.CallProposed(call=submit)])
        form._plan.fork_point = point
        await app.push_screen(form)
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.pause()
        assert f"edit call {last.number} " in str(app.screen.query_one(".dialog").border_title)
        which = str(form.query_one("#which", Static).render())
        assert f"; submit (call {submit.number}) has nothing to change." in which


async def test_short_fields_take_a_line_and_a_long_one_the_rest_from_its_top(
    store: Store,
) -> None:
    fields = {"command": "create", "path": "/testbed/a.py", "file_text": "line\n" * 60}
    call = e.ToolCall(
        number=1, step=1, id="c", name="str_replace_editor", arguments=json.dumps(fields)
    )
    async with looks.shown(store, (160, 45), None) as (app, pilot):
        dialog = EditCallDialog(call)
        await app.push_screen(dialog)
        box = dialog.query_one(".dialog")
        areas = list(dialog.query("TextArea.field").results(TextArea))
        await until(pilot, lambda: sum(a.region.height for a in areas) == box.content_size.height)
        assert [area.region.height for area in areas[:2]] == [3, 3]
        assert areas[2].has_focus
        assert (areas[2].cursor_location, areas[2].scroll_y, box.scroll_offset.y) == ((0, 0), 0, 0)


async def test_arguments_that_the_tool_lacks_are_refused_in_the_editor(store: Store) -> None:
    async with looks.shown(store, (160, 45), None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.press("f4", "f3")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.pause()
        app.screen.query_one("TextArea.json", TextArea).text = '{"comand": "ls"}'
        await pilot.press("ctrl+s")
        box = app.screen.query_one(".dialog")
        await until(pilot, lambda: box.has_class("-wrong"))
        assert 'needs "command"; it has no argument "comand".' in str(box.border_subtitle)


async def test_another_step_is_typed_into_the_form(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        plan = ForkPlan(store, store.run(PARENT), "end")
        form = ForkDialog(
            plan, replace(plan.request(app.settings.now, {}), model=DemoModel()), store
        )
        described: list[Any] = []
        await app.push_screen(form, described.append)
        await pilot.pause()
        at, where = form.query_one("#at", Input), form.query_one("#where", Static)
        assert at.value == str(plan.fork_point.step)
        at.value = "99"
        await until(
            pilot, lambda: "This session has no step 99: it has steps 1 to " in str(where.render())
        )
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.screen is form
        at.value = "2"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(described))
        assert described[0].plan.fork_point.step == 2


@pytest.mark.parametrize("name", ["at", "steps"])
async def test_a_number_field_takes_every_character_and_says_what_fits(
    store: Store, name: str
) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        field = form.query_one(f"#{name}", Input)
        field.value = ""
        field.focus()
        await pilot.press("4", "x")
        await pilot.pause()
        assert field.value == "4x"
        assert field.has_class("-wrong")
        assert field.border_subtitle == "a whole number"
        form.query_one("#message").focus()
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.focused is field)
        assert app.screen is form
        await pilot.press("end", "backspace")
        await pilot.pause()
        assert not field.has_class("-wrong")


async def test_a_step_below_the_first_is_told_the_steps_there_are(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        field = form.query_one("#at", Input)
        field.value = ""
        field.focus()
        await pilot.press("minus", "1")
        words = f"from 0 to {form._last_step}"
        await until(pilot, lambda: field.border_subtitle == words)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.focused is field)
        assert field.border_subtitle == words


async def test_a_form_that_is_left_keeps_a_draft_for_the_same_place(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        run = store.run(PARENT)
        step = next(one.seq for one in store.events(PARENT) if one.seq >= run.last_seq // 2)

        async def opened(seq: int) -> ForkDialog:
            app.post_message(ForkRequested(PARENT, seq))
            await until(pilot, lambda: isinstance(app.screen, ForkDialog))
            await pilot.pause()
            assert isinstance(app.screen, ForkDialog)
            return app.screen

        form = await opened(run.last_seq)
        first = form.typed()
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.pause()
        await pilot.press("x", "ctrl+s")
        changed = form.query_one("#changed", Static)
        await until(pilot, lambda: changed.display)
        form.query_one("#message", TextArea).text = "Try this."
        shown = str(changed.render())
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not form)
        assert [one.message for one in app._notifications] == ["Draft saved: F opens it again."]
        other = await opened(step)
        assert other.query_one("#message", TextArea).text == ""
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not other)
        again = await opened(run.last_seq)
        assert str(again.query_one("#changed", Static).render()) == shown
        assert again.query_one("#message", TextArea).text == "Try this."
        assert again._first.texts == first
        assert again._edited is not None


@pytest.mark.parametrize("typed", ["99", "", "x"])
async def test_a_wrong_number_is_not_kept_but_the_message_is(store: Store, typed: str) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        first, where = form.typed(), form.query_one("#where", Static)
        before = str(where.render())
        form.query_one("#at", Input).value = typed
        await until(pilot, lambda: str(where.render()) != before)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not form)
        assert form.draft is None
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        form.query_one("#at", Input).value = typed
        form.query_one("#steps", Input).value = ""
        form.query_one("#message", TextArea).text = "Try this."
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not form)
        draft = form.draft
        assert draft is not None
        assert draft.texts == {**first, "message": "Try this."}
        again = ForkDialog(form._first.plan, form._run_request, store, draft)
        await app.push_screen(again)
        await pilot.pause()
        assert str(again.query_one("#where", Static).render()) == before
        assert again.query_one("#message", TextArea).text == "Try this."
        older = ForkDraft(draft.plan, None, {**draft.texts, "at": typed})
        kept_before = ForkDialog(form._first.plan, form._run_request, store, older)
        await app.push_screen(kept_before)
        await pilot.pause()
        assert kept_before.query_one("#at", Input).value == first["at"]


async def test_f8_clears_the_form_and_brings_back_what_it_cleared(store: Store) -> None:
    kept: list[ForkDraft | None] = []
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        plan = ForkPlan(store, store.run(PARENT), "step:3")
        form = ForkDialog(plan, plan.request(app.settings.now, {}), store, None, kept.append)
        await app.push_screen(form)
        await pilot.pause()
        assert "f8 clear" in shown_keys(app)
        first = form.typed()
        at, where = form.query_one("#at", Input), form.query_one("#where", Static)
        message = form.query_one("#message", TextArea)
        before = str(where.render())
        message.text = "Try this."
        at.value = "2"
        await until(pilot, lambda: "step 2 of" in str(where.render()))
        await pilot.press("f8")
        await until(pilot, lambda: form.typed() == first)
        assert str(where.render()) == before
        assert form.draft is None
        assert message.border_subtitle == "cleared · f8 brings it back until you type"
        await pilot.press("f8")
        await until(pilot, lambda: message.text == "Try this.")
        assert (at.value, "step 2 of" in str(where.render())) == ("2", True)
        assert kept[-1] is not None
        assert message.border_subtitle == ""


async def test_no_call_is_changed_while_the_step_is_none(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        await pilot.press("?", "f4")
        await until(pilot, lambda: len(app._notifications))
        assert app.screen is form
        assert [one.message for one in app._notifications] == [form._problem]
        assert form._problem.startswith("Enter a step from 0 to ")


async def test_a_draft_is_kept_for_the_next_start_until_its_fork_starts(
    store: Store, tmp_path: Path
) -> None:
    kept = KeptForkDrafts(tmp_path / "drafts.json")
    plan = ForkPlan(store, store.run(PARENT), "end")
    place = (PARENT, plan.fork_point.seq)

    def keep(draft: ForkDraft | None) -> None:
        kept.write(*place, draft)

    async with looks.shown(store, (100, 30), None) as (app, pilot):
        request = replace(plan.request(app.settings.now, {}), model=DemoModel())
        await app.push_screen(ForkDialog(plan, request, store, None, keep))
        await pilot.pause()
        app.screen.query_one("#at", Input).value = "2"
        app.screen.query_one("#message", TextArea).text = "try the other file"
        await pilot.press("ctrl+q")
        await until(pilot, lambda: kept.read(*place, store) is not None)
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form = ForkDialog(plan, request, store, kept.read(*place, store), keep)
        described: list[Any] = []
        await app.push_screen(form, described.append)
        await until(pilot, lambda: form.query_one("#at", Input).value == "2")
        assert form.query_one("#message", TextArea).text == "try the other file"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(described))
        assert described[0].plan.fork_point.step == 2
        assert described[0].request.message == "try the other file"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"x 1": 3}', '{"x 1": {"seq": 1, "texts": {}}}'])
def test_a_file_of_drafts_that_cannot_be_read_has_none(
    store: Store, tmp_path: Path, text: str
) -> None:
    (tmp_path / "drafts.json").write_text(text)
    assert KeptForkDrafts(tmp_path / "drafts.json").read("x", 1, store) is None


async def forked_with(
    app: SandboxTui, pilot: Pilot[int], store: Store, model: str, url: str
) -> tuple[ForkDialog, list[Any]]:
    """Start a fork with this model and server; return the form and what it will be dismissed
    with."""
    form = form_at(app, store, "step:3")
    described: list[Any] = []
    await app.push_screen(form, described.append)
    await pilot.pause()
    form.query_one("#model", Input).value = model
    form.query_one("#url", Input).value = url
    await pilot.press("ctrl+s")
    return form, described


async def test_the_scheme_of_a_server_is_added(store: Store) -> None:
    with ScriptedServer([]) as server:
        server.models = ["qwen"]
        async with looks.shown(store, (100, 30), None) as (app, pilot):
            url = server.url.removeprefix("http://")
            _, described = await forked_with(app, pilot, store, "qwen", url)
            await until(pilot, lambda: bool(described))
            assert described[0].request.run.settings.model.base_url == server.url


@pytest.mark.parametrize("size", [(60, 20), (100, 30)])
async def test_no_call_is_offered_while_the_step_is_none(
    store: Store, size: tuple[int, int]
) -> None:
    async with looks.shown(store, size, None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        at, button = form.query_one("#at", Input), form.query_one("#call", Button)
        offered = str(button.label)
        at.value = "99"
        await until(pilot, lambda: button.disabled)
        assert str(button.label) == "change the call"
        last = form._last_step
        words = f"This session has no step 99: it has steps 1 to {last}."
        assert why_key_is_disabled(form, "f4") == words
        assert str(at.border_subtitle) == f"from 0 to {last}"
        at.value = "3"
        await until(pilot, lambda: not button.disabled)
        assert str(button.label) == offered
        assert not at.has_class("-wrong")


@pytest.mark.parametrize("size", [(60, 20), (100, 30), (160, 45)])
async def test_each_field_says_its_own_mistake(store: Store, size: tuple[int, int]) -> None:
    async with looks.shown(store, size, None) as (app, pilot):
        form = form_at(app, store, "step:3")
        await app.push_screen(form)
        await pilot.pause()
        for name, text in {"at": "99", "steps": "-3", "model": "", "url": "ftp://x"}.items():
            form.query_one(f"#{name}", Input).value = text
        await pilot.press("ctrl+s")
        box = form.query_one("#box")
        await until(pilot, lambda: "4 fields need attention" in str(box.border_title))
        assert app.focused is form.query_one("#at")
        assert box.region.contains_region(form.query_one("#start", Button).region)
        wrong = {name for name, field in form.fields() if field.has_class("-wrong")}
        assert wrong == {"at", "steps", "model", "url"}
        assert form._mistakes["steps"] == "Must be at least 4."
        assert not app._notifications
        form.query_one("#steps", Input).value = "1"
        form.query_one("#at", Input).value = "2"
        await until(pilot, lambda: "2 fields need attention" in str(box.border_title))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: form._mistakes.get("steps") == "Must be at least 3.")


async def test_a_model_that_the_server_does_not_list_is_asked_about(store: Store) -> None:
    with ScriptedServer([]) as server:
        server.models = ["qwen"]
        async with looks.shown(store, (100, 30), None) as (app, pilot):
            form, described = await forked_with(app, pilot, store, "nosuchmodel", server.url)
            await until(pilot, lambda: isinstance(app.screen, StartAnywayDialog))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is form)
            model = form.query_one("#model", Input)
            assert "the server lists no such model" in str(model.border_subtitle)
            assert not described


@pytest.mark.parametrize(("width", "words"), [(60, "use call"), (100, "use this call")])
async def test_the_key_bar_says_what_finishing_the_call_does_here(
    store: Store, width: int, words: str
) -> None:
    async with looks.shown(store, (width, 20), None) as (app, pilot):
        await app.push_screen(form_at(app, store, "step:3"))
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await until(pilot, lambda: f"^s {words}" in shown_keys(app))


async def test_a_stray_comma_is_no_part_of_the_model(store: Store) -> None:
    with ScriptedServer([]) as server:
        server.models = ["qwen"]
        async with looks.shown(store, (100, 30), None) as (app, pilot):
            _, described = await forked_with(app, pilot, store, ",qwen", server.url)
            await until(pilot, lambda: bool(described))
        assert described[0].request.run.settings.model.name == "qwen"


async def test_a_fork_continues_with_one_model(store: Store) -> None:
    async with looks.shown(store, (100, 30), None) as (app, pilot):
        form, described = await forked_with(app, pilot, store, "a, b", "http://127.0.0.1:9/v1")
        await until(pilot, lambda: form._mistakes == {"model": "A fork continues with one model."})
        assert not described
