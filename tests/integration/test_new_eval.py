"""The form for evaluations: what it refuses, and the program that it starts."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Input, Label, Select, Static

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.screens.evals import new_eval
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.evals_screen import DRAFT_FILE, FILE_GONE, EvalsScreen
from sandbox_tui.tui.screens.evals.new_eval import NewEvalDialog
from sandbox_tui.tui.screens.evals.start_eval import NewEval
from sandbox_tui.tui.screens.evals.starting import suite_form
from sandbox_tui.tui.screens.evals.starting.preview import Preview, preview_of
from sandbox_tui.tui.screens.new_run.kept_draft import KeptDraft
from sandbox_tui.tui.widgets.evals.eval_list import EvalList
from tests.scripted_server import ScriptedServer
from tests.waiting import HANG_SECONDS, until


@asynccontextmanager
async def form(
    store: Store, size: tuple[int, int] = (100, 30), **model: str
) -> AsyncIterator[tuple[SandboxTui, Pilot[int]]]:
    named = model or {"name": "m", "base_url": "http://x/v1"}
    settings = {"model.local_ports": [1], **{f"model.{name}": text for name, text in named.items()}}
    app = SandboxTui(config.load(settings), store)
    async with app.run_test(size=size) as pilot:
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog))
        yield app, pilot


def marked(app: SandboxTui) -> Callable[[], set[str | None]]:
    return lambda: {one.id for one in app.screen.query(".field.-wrong")}


async def test_the_suite_that_is_offered_is_replaced_whenever_it_gets_the_focus(
    store: Store,
) -> None:
    async with form(store) as (app, pilot):
        suite = app.screen.query_one("#suite", Input)
        await pilot.press("tab", "shift+tab", *"s/a")
        assert suite.value == "s/a"
        await pilot.press("tab", "shift+tab", *"b")
        assert suite.value == "s/ab", "what was typed stays"
        await pilot.press("f8", *"c")
        assert suite.value == "c"


async def test_a_suite_that_does_not_exist_is_marked_when_it_is_left(store: Store) -> None:
    async with form(store) as (app, pilot):
        await pilot.press(*"nowhere/s.yaml")
        app.screen.query_one("#limit").focus()
        await until(pilot, lambda: marked(app)() == {"suite"})


async def test_a_low_form_says_that_more_fields_follow(store: Store) -> None:
    async with form(store, (60, 20)) as (app, pilot):
        box = app.screen.query_one("#box")
        await until(pilot, lambda: str(box.border_subtitle).startswith("↓ more · "))
        app.screen.query_one("#budget_cost").focus()
        await until(pilot, lambda: "more" not in str(box.border_subtitle))


async def test_the_suite_that_is_offered_is_replaced_by_typing(store: Store) -> None:
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        assert dialog.typed()["suite"] == "pocket"
        await pilot.press(*"math")
        assert dialog.typed()["suite"] == "math"


async def test_the_model_of_the_newest_evaluation_is_offered(store: Store) -> None:
    info = EvalInfo(
        id="e", suite="s", digest="", model="small", params={"base_url": "http://127.0.0.1:9/v1"}
    )
    suite = Suite(name="s", tasks=(Task(id="a", problem="?", target="4"),))
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=config.load({})))
    async with form(store, name="") as (app, pilot):
        dialog: Any = app.screen
        typed = dialog.typed()
        assert (typed["model"], typed["url"]) == ("small", "http://127.0.0.1:9/v1")
        model = dialog.query_one("#model")
        assert "last used" in str(model.border_subtitle)
        dialog.put("model", "another")
        await until(pilot, lambda: "last used" not in str(model.border_subtitle))


@pytest.mark.parametrize("kind", ["auto", "docker"])
async def test_mode_and_sandbox_of_the_newest_evaluation_are_offered(
    store: Store, kind: str
) -> None:
    ran = "sandbox-tui eval run pocket --mode sandbox --sandbox bubblewrap"
    info = EvalInfo(id="e", suite="s", digest="", model="m", modes=("sandbox",), command=ran)
    suite = Suite(name="s", tasks=(Task(id="a", problem="?", target="4"),), modes=("sandbox",))
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=config.load({})))
    settings = {"model.local_ports": [1], "model.name": "m", "sandbox.kind": kind}
    app = SandboxTui(config.load(settings), store)
    async with app.run_test() as pilot:
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog))
        dialog: Any = app.screen
        notes = {name: str(dialog.query_one(f"#{name}").border_subtitle) for name in ("mode",)}
        assert (dialog.typed()["mode"], notes["mode"]) == ("sandbox", new_eval.LAST_USED)
        offered = kind == "auto"
        assert dialog.typed()["kind"] == ("bubblewrap" if offered else kind), "a setting counts"
        field = dialog.query_one("#kind")
        assert (str(field.border_subtitle) == new_eval.LAST_USED) == offered
        dialog.put("kind", "auto")
        await until(pilot, lambda: str(field.border_subtitle) != new_eval.LAST_USED)


async def test_a_scorer_that_no_task_uses_is_noted_at_the_field(
    store: Store, tmp_path: Path
) -> None:
    data = tmp_path / "sums.jsonl"
    data.write_text('{"question": "2 + 2?", "answer": "4", "scorer": "exact"}\n')
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        dialog.put("suite", str(data))
        scorer = dialog.query_one("#scorer")
        scorer.value = "number"
        await until(pilot, lambda: str(scorer.border_subtitle) == "no effect")
        assert dialog.hint_of("scorer") == "no effect: every task names its own scorer"
        scorer.value = "suite's or file's"
        await until(pilot, lambda: str(scorer.border_subtitle) != "no effect")
        scorer.value = "number"
        data.write_text('{"question": "2 + 2?", "answer": "4"}\n')
        dialog.put("limit", "1")
        await until(pilot, lambda: str(scorer.border_subtitle) == "")


async def test_an_evaluation_is_run_again_and_its_file_is_offered(
    store: Store, tmp_path: Path
) -> None:
    data = tmp_path / "sums.jsonl"
    data.write_text('{"question": "2 + 2?", "answer": "4"}\n')
    ran = (
        f"sandbox-tui eval run {data} --scorer=number --headless --limit 3 --samples 2 "
        "--max-steps 9 --budget-cost 2.5"
    )
    info = EvalInfo(id="e", suite="sums", digest="", model="small", modes=("vanilla",), command=ran)
    suite = Suite(name="sums", tasks=(Task(id="1", problem="?", target="4"),), modes=("vanilla",))
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=config.load({})))
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        typed = dialog.typed()
        assert (typed["suite"], typed["scorer"], typed["limit"]) == (str(data), "number", "")
        for name in ("#suite", "#scorer"):
            assert str(dialog.query_one(name).border_subtitle) == new_eval.LAST_USED
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog))
        again: Any = app.screen
        typed = again.typed()
        assert (typed["suite"], typed["scorer"], typed["mode"]) == (str(data), "number", "vanilla")
        assert (typed["limit"], typed["samples"], typed["model"]) == ("3", "2", "small")
        assert (typed["steps"], typed["budget_cost"]) == ("9", "2.5")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        data.unlink()
        await pilot.press("ctrl+r")
        await until(pilot, lambda: bool(app._notifications))
        assert [one.message for one in app._notifications] == [FILE_GONE]


async def test_a_model_that_never_scored_is_not_offered(store: Store) -> None:
    suite = Suite(name="s", tasks=(Task(id="a", problem="?", target="4"),), modes=("vanilla",))
    plan = ledger.EvalPlan(suite=suite, settings=config.load({}))
    ended = {"works": {"status": "scored", "score": 1.0}, "dead": {"status": "failed"}}
    for at, (name, how) in enumerate(ended.items()):
        params = {"base_url": f"http://{name}/v1"}
        info = EvalInfo(
            id=name, suite="s", digest="", model=name, params=params, began_at=float(at)
        )
        ledger.create(store, info, plan)
        sample: dict[str, Any] = {"task": "a", "mode": "vanilla", "number": 1, **how}
        ledger.finish(store, name, msgspec.convert(sample, SampleResult))
        ledger.release(store, name)
    async with form(store, name="") as (app, _):
        dialog: Any = app.screen
        typed = dialog.typed()
        assert (typed["model"], typed["url"]) == ("works", "http://works/v1")


async def test_a_server_is_completed_before_it_starts(store: Store) -> None:
    async with form(store, name="m", base_url="") as (app, pilot):
        dialog: Any = app.screen
        dialog.put("url", "127.0.0.1:9/v1")
        dialog.put("suite", "no-such")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: marked(app)() == {"suite"})
        assert dialog.typed()["url"] == "http://127.0.0.1:9/v1"


async def test_two_evaluations_are_compared_from_the_list(store: Store) -> None:
    suite = Suite(name="sums", tasks=(Task(id="a", problem="?", target="4"),))
    for name in ("left", "right"):
        info = EvalInfo(id=name, suite="sums", digest="", model=name, began_at=float(len(name)))
        ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=config.load({})))
    async with form(store) as (app, pilot):
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        shown = app.screen.query_one(EvalList)
        await pilot.press("c")
        await until(pilot, lambda: shown.marked is not None and shown.marked.info.id == "right")
        await pilot.press("c")  # unmarks it
        await until(pilot, lambda: shown.marked is None)
        await pilot.press("c", "down", "c")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))
        text: Any = app.screen.query_one("#pager-text")
        assert text.search("sums · right and left")
        assert text.search("No task has a score in both yet; 1 task in common.")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        assert shown.marked is None


async def test_a_new_evaluation_is_under_the_cursor(store: Store) -> None:
    suite = Suite(name="sums", tasks=(Task(id="a", problem="?", target="4"),))
    plan = ledger.EvalPlan(suite=suite, settings=config.load({}))
    for at, name in enumerate(("first", "second")):
        info = EvalInfo(id=name, suite="sums", digest="", model="m", began_at=float(at))
        ledger.create(store, info, plan)
        ledger.release(store, name)
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        new = EvalInfo(id="new", suite="sums", digest="", model="m", began_at=9.0)
        ledger.create(store, new, plan)
        dialog.dismiss(ledger.summary(store, "new"))
        await until(pilot, lambda: isinstance(app.screen, EvalScreen))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        shown = app.screen.query_one(EvalList)
        assert shown.current is not None
        assert shown.current.info.id == "new"


async def test_all_mistakes_are_shown_at_once(store: Store) -> None:
    async with form(store, (60, 20)) as (app, pilot):
        dialog: Any = app.screen
        wrong = {"suite": "", "model": " ", "url": "x", "limit": "all", "at_once": "0"}
        wrong |= {"steps": "0", "temperature": "warm", "budget": "soon"}
        for name, text in wrong.items():
            dialog.put(name, text)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: marked(app)() == set(wrong))
        title = Content.from_markup(dialog.query_one("#box").border_title).plain
        assert title == "new evaluation · 8 fields need attention"
        assert app.focused is dialog.query_one("#suite")


async def test_suite_and_domains_are_marked_with_the_numbers(store: Store) -> None:
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        for suite, wrong in (("nope", {"suite"}), ("pocket", {"domains"})):
            for name, text in (("suite", suite), ("domains", "zoo"), ("limit", "abc")):
                dialog.put(name, text)
            await pilot.press("ctrl+s")
            await until(pilot, lambda wrong=wrong: marked(app)() == {*wrong, "limit"})
        assert not dialog.why_unavailable("start", ())


async def test_a_model_that_the_server_does_not_list_is_asked_about(store: Store) -> None:
    with ScriptedServer([]) as server:
        server.models = ["scripted"]
        async with form(store, name="scripted-q", base_url=server.url) as (app, pilot):
            dialog: Any = app.screen
            dialog.put("limit", "abc")
            await pilot.press("ctrl+s")
            model = dialog.query_one("#model")
            await until(pilot, lambda: "lists no such model" in str(model.border_subtitle))
            assert model.has_class("-doubted")
            dialog.put("limit", "1")
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            await until(pilot, lambda: app.screen.query(Static))
            asked = str(app.screen.query_one(Static).content)
            assert "lists no such model: scripted-q. Start all the same?" in asked
            assert dialog.why_unavailable("cancel", ()) == "it is starting"
            await pilot.press("n")
            await until(pilot, lambda: not dialog.why_unavailable("cancel", ()))
    assert ledger.summaries(store) == []


@pytest.mark.parametrize(
    ("suite", "field", "words"),
    [
        ("no-such", "suite", "There is no suite 'no-such'"),
        ("/not/there.jsonl", "suite", "/not/there.jsonl"),
        ("tasks.jsonl", "scorer", "Choose a scorer. The file has no column"),
    ],
)
async def test_a_suite_that_cannot_be_run_is_refused_at_its_field(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suite: str,
    field: str,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks.jsonl").write_text('{"problem": "1 + 1", "target": "2"}\n')
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        dialog.put("suite", suite)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: marked(app)() == {field})
        assert words in str(dialog.query_one("#hint", Label).content)
        await pilot.press("escape", "n")
        await until(pilot, lambda: app.screen is not dialog)
        again: Any = app.screen
        assert again.typed()["suite"] == suite, "what was typed is kept"


@pytest.mark.parametrize(
    ("row", "field", "words"),
    [
        ('{"riddle": "1 + 1", "target": "2"}', "suite", "Its columns are riddle, target."),
        ('{"problem": "1 + 1", "target": "2"}', "scorer", "The file has no column scorer"),
    ],
)
async def test_a_data_file_is_checked_when_it_is_chosen(
    store: Store, tmp_path: Path, row: str, field: str, words: str
) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text(f"{row}\n")
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        dialog.put("suite", str(file))
        await pilot.press("tab")
        await until(pilot, lambda: marked(app)() == {field})
        assert words in dialog._mistakes[field]


def products(folder: Path, tasks: int) -> str:
    """A data file with so many tasks."""
    file = folder / "products.jsonl"
    row = '{"problem": "1 + 1", "target": "2", "scorer": "number"}\n'
    file.write_text(row * tasks)
    return str(file)


async def test_it_says_how_many_samples_it_starts(store: Store, tmp_path: Path) -> None:
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        box = dialog.query_one("#box")
        dialog.put("suite", products(tmp_path, 3))
        for name, text, words in (
            ("samples", "", "start 6 samples (3 tasks in 2 modes) · "),
            ("samples", "4", "start 24 samples (3 tasks in 2 modes, 4 times) · "),
            ("samples", "x", "start · "),
            ("samples", "4", "start 24 samples"),
            ("mode", "vanilla", "start 12 samples (3 tasks, 4 times) · "),
            ("limit", "2", "start 8 samples (2 tasks, 4 times) · "),
            ("suite", "nowhere", "start · "),
            ("suite", "math", "start · "),  # its tasks are downloaded first
        ):
            dialog.put(name, text)
            await until(pilot, lambda words=words: words in str(box.border_subtitle))


async def test_it_says_that_it_counts_until_it_knows_how_many_samples(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_count = threading.Event()

    def counted_late(suite: str, limit: int | None, domains: Sequence[str]) -> Preview | None:
        assert may_count.wait(HANG_SECONDS)
        return preview_of(suite, limit, domains)

    monkeypatch.setattr(suite_form, "preview_of", counted_late)
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        box = dialog.query_one("#box")
        dialog.put("suite", products(tmp_path, 3))
        await until(pilot, lambda: "start (counting…) · " in str(box.border_subtitle))
        may_count.set()
        await until(pilot, lambda: "start 6 samples" in str(box.border_subtitle))


async def test_it_asks_before_many_samples_and_if_no_server_answers(
    store: Store, tmp_path: Path
) -> None:
    async with form(store, (60, 20), name="m", base_url="http://127.0.0.1:9/v1") as (app, pilot):
        dialog: Any = app.screen
        box = dialog.query_one("#box")
        dialog.put("suite", products(tmp_path, 50))
        for samples, many in (
            ("2", "This starts 200 samples: 50 tasks in 2 modes, 2 times. "),
            ("", ""),
        ):
            dialog.put("samples", samples)
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            await until(pilot, lambda: app.screen.query(Static))
            asked = str(app.screen.query_one(Static).content)
            assert asked.startswith(f"{many}The server at http://127.0.0.1:9/v1 cannot be reached ")
            assert asked.endswith(" Start all the same?")
            await pilot.press("n")
            await until(pilot, lambda: app.screen is dialog)
            await until(pilot, lambda: "samples ·" in str(box.border_subtitle))
            assert f"start {'200' if many else '100'} samples" in str(box.border_subtitle)
        assert ledger.summaries(store) == []


async def test_the_names_of_all_suites_fit_on_a_small_screen(store: Store) -> None:
    async with form(store, (60, 20)) as (app, pilot):
        dialog: Any = app.screen
        dialog.put("suite", "nowhere")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: marked(app)() == {"suite"})
        rows = [strip.text for strip in app.screen._compositor.render_strips()]
        assert any("software_engineering" in row for row in rows)


def test_the_report_names_the_command_that_does_the_same() -> None:
    texts = {"suite": "my tasks.csv", "model": "m", "url": "", "kind": "auto", "mode": "vanilla"}
    texts |= {"scorer": "exact", "limit": "3", "samples": "", "at_once": "2", "domains": ""}
    texts |= dict.fromkeys(("steps", "temperature", "budget", "budget_tokens", "budget_cost"), "")
    new = NewEval.of(texts)
    command = (
        "sandbox-tui eval run 'my tasks.csv' --model m --sandbox auto --scorer exact "
        "--mode vanilla --limit 3 --concurrency 2"
    )
    assert new.command == command
    limited = NewEval.of({**texts, "steps": "9", "temperature": "0", "budget": "1h30m"})
    assert limited.command == f"{command} --max-steps 9 --temperature 0 --budget-time 5400"
    budget = NewEval.of({**texts, "budget_tokens": "50000", "budget_cost": "2.5"})
    assert budget.command == f"{command} --budget-tokens 50000 --budget-cost 2.5"
    some = NewEval.of({**texts, "domains": "a, b c,a"})
    assert some.command == command.replace(" --model", " --domain a --domain 'b c' --model")
    assert some.overrides["dataset.domains"] == ["a", "b c"]
    assert limited.overrides["limits.max_steps"] == 9
    assert limited.overrides["model.temperature"] == 0


async def test_a_choice_opens_on_the_smallest_screens(store: Store) -> None:
    async with form(store, (40, 12)) as (app, pilot):
        scorer = app.screen.query_one("#scorer", Select)
        scorer.focus()
        await pilot.press("enter")
        await until(pilot, lambda: scorer.expanded)
        await pilot.press("down", "enter")
        await until(pilot, lambda: not scorer.expanded)


async def test_what_was_typed_is_cleared_and_brought_back(store: Store) -> None:
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        at_first = dialog.typed()
        dialog.put("samples", "4")
        dialog.put("mode", "vanilla")
        typed = dialog.typed()
        await pilot.press("f8")
        await until(pilot, lambda: dialog.typed() == at_first)
        suite = dialog.query_one("#suite")
        await until(pilot, lambda: "f8 brings it back" in str(suite.border_subtitle))
        await pilot.press("f8")
        await until(pilot, lambda: dialog.typed() == typed)


async def test_what_is_wrong_is_marked_again_when_it_is_brought_back(store: Store) -> None:
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        app.screen.query_one("#samples").focus()
        await pilot.press(*"x")
        app.screen.query_one("#limit").focus()
        await pilot.press(*"y")
        await until(pilot, lambda: marked(app)() == {"samples", "limit"})
        await pilot.press("f8")
        await until(pilot, lambda: not marked(app)() and dialog.typed()["limit"] == "")
        await pilot.press("f8")
        await until(pilot, lambda: dialog.typed()["limit"] == "y")
        await until(pilot, lambda: marked(app)() == {"samples", "limit"})


async def test_a_wrong_limit_does_not_hide_what_the_suite_says(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "tasks.jsonl").write_text('{"problem": "?", "answer": "4"}\n')
    suite = tmp_path / "s.yaml"
    suite.write_text("dataset: {path: tasks.jsonl}\nscorers: exact\nlimits: {max_steps: 8}\n")
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        dialog.put("suite", str(suite))
        steps = app.screen.query_one("#steps", Input)
        await until(pilot, lambda: steps.placeholder == "8")
        dialog.query_one("#limit").focus()
        await pilot.press(*"y")
        await until(pilot, lambda: dialog._counted is not None and dialog._counted[1] == "y")
        assert steps.placeholder == "8"


async def test_a_cleared_draft_is_kept_no_longer(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_eval, "suite_to_run", lambda _: None)
    monkeypatch.setattr(new_eval.Size, "of", lambda _: None)
    monkeypatch.setattr(NewEvalDialog, "_is_wanted", AsyncMock(return_value=True))
    monkeypatch.setattr(new_eval, "start_eval", lambda *_: None)
    kept = KeptDraft(config.data_dir() / DRAFT_FILE)
    kept.write({"suite": "my-draft", "samples": "4"})
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        assert dialog.typed()["samples"] == "4"
        await pilot.press("f8")
        assert kept.read() is None
        dialog.put("suite", "pocket")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        assert kept.read() is None
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog))
        again: Any = app.screen
        assert again.typed()["samples"] != "4"


async def test_budgets_that_cannot_be_are_marked(store: Store) -> None:
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        box = dialog.query_one("#box")
        await until(pilot, lambda: "samples" in str(box.border_subtitle))
        dialog.put("budget_tokens", "many")
        dialog.put("budget_cost", "-1")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: marked(app)() == {"budget_tokens", "budget_cost"})


async def test_what_was_typed_is_there_at_the_next_start(store: Store, tmp_path: Path) -> None:
    file = products(tmp_path, 3)
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        dialog.put("suite", file)
        dialog.put("samples", "4")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        assert [one.message for one in app._notifications] == ["Draft saved: n opens it again."]
    async with form(store) as (app, _):
        again: Any = app.screen
        typed = again.typed()
        assert (typed["suite"], typed["samples"], typed["limit"]) == (file, "4", "")
        assert "restored" in str(again.query_one("#suite").border_subtitle)


async def test_domains_are_chosen_and_the_suite_says_what_holds_in_empty_fields(
    store: Store, tmp_path: Path
) -> None:
    rows = ({"problem": "1 + 1", "target": "2", "domain": name} for name in ("sums", "sums", "odd"))
    (tmp_path / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    suite = tmp_path / "mine.yaml"
    suite.write_text(
        "dataset: {path: tasks.jsonl}\nscorers: exact\nsamples: 3\nlimits: {max_steps: 8}\n"
        "model: {temperature: 0.7}\n"
    )
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        box, hint = dialog.query_one("#box"), dialog.query_one("#hint", Label)
        dialog.put("suite", str(suite))
        await until(pilot, lambda: "start 18 samples" in str(box.border_subtitle))
        fields = ("samples", "steps", "temperature")
        usual = [dialog.query_one(f"#{name}", Input).placeholder for name in fields]
        assert usual == ["3", "8", "0.7"]
        dialog.query_one("#domains").focus()
        await until(pilot, lambda: "empty for all, or some of: sums, odd" in str(hint.content))
        dialog.put("domains", "odd")
        await until(pilot, lambda: "start 6 samples" in str(box.border_subtitle))
        dialog.put("domains", "even")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: marked(app)() == {"domains"})
        assert "Its domains are odd, sums." in dialog._mistakes["domains"]
