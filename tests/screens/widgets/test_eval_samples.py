"""The list of samples keeps its position while other samples end."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from textual.app import App, ComposeResult

from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.evals.sample_list import SampleList, SampleRows
from tests.unit.core.evals.reporting.sample_results import result


class Shown(App[None]):
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield SampleList(lambda _: None, lambda: "being recorded")


def finished_samples(*numbers: int) -> list[SampleResult]:
    """Return finished samples, newest first."""
    return [
        result(f"task-{n:05}", "sandbox", 1.0, ended_at=float(n)) for n in sorted(numbers)[::-1]
    ]


def line(rows: SampleRows, y: int) -> str:
    return rows.render_line(y).text


async def test_the_newest_is_seen_at_the_top_and_nothing_moves_below_it() -> None:
    app = Shown()
    async with app.run_test(size=(100, 20)) as pilot:
        shown, rows = app.query_one(SampleList), app.query_one(SampleRows)
        shown.show(finished_samples(*range(100)), 0, "")
        await pilot.pause()
        assert "task-00099" in line(rows, 0)
        shown.show(finished_samples(*range(101)), 0, "")
        assert "task-00100" in line(rows, 0)

        rows.focus()
        await pilot.press("down", "down", "down")
        assert rows.current is not None
        chosen, before = rows.current.task, rows.cursor - rows.scroll_offset.y
        shown.show(finished_samples(*range(105)), 0, "")
        await pilot.pause()
        assert rows.current.task == chosen
        assert rows.cursor - rows.scroll_offset.y == before

        await pilot.press("pagedown")
        first = line(rows, 0)
        shown.show(finished_samples(*range(120)), 0, "")
        await pilot.pause()
        assert line(rows, 0) == first
        await pilot.press("end")
        assert "task-00000" in line(rows, rows.size.height - 1)


async def test_the_samples_without_a_right_answer_are_walked() -> None:
    app = Shown()
    scores = {4: 1.0, 3: 0.0, 2: 1.0, 1: 0.5, 0: 1.0}
    async with app.run_test(size=(100, 20)) as pilot:
        samples = [result(f"task-{n}", "sandbox", score) for n, score in scores.items()]
        app.query_one(SampleList).show(samples, 0, "")
        rows = app.query_one(SampleRows)
        rows.focus()
        seen: list[int] = []
        for key in ("n", "n", "n", "N", "N"):
            await pilot.press(key)
            seen.append(rows.cursor)
        assert seen == [1, 3, 3, 1, 1]
        said = [one.message for one in app._notifications]
        assert said == [
            f"No wrong or failed sample {where} this one." for where in ("below", "above")
        ]


async def test_ten_thousand_are_drawn_only_where_they_are_seen(monkeypatch: Any) -> None:
    drawn: list[int] = []
    draw = SampleRows.draw_block

    def counted(self: SampleRows, index: int, width: int) -> Any:
        drawn.append(index)
        return draw(self, index, width)

    monkeypatch.setattr(SampleRows, "draw_block", counted)
    app = Shown()
    async with app.run_test(size=(100, 20)) as pilot:
        app.query_one(SampleList).show(finished_samples(*range(10_000)), 0, "")
        await pilot.pause()
        app.query_one(SampleRows).focus()
        await pilot.press("end")
        await pilot.pause()
    assert 0 < len(set(drawn)) < 100
    assert 9_999 in drawn


async def test_a_sample_is_named_by_its_id_and_its_question() -> None:
    app = Shown()
    samples = [result("1", "sandbox", 1.0), result("1", "sandbox", 0.0, number=2)]
    async with app.run_test(size=(100, 20)) as pilot:
        asked = {"1": "What is 23 * 45?\x1b[31m"}
        app.query_one(SampleList).show(samples, 0, "", asked)
        await pilot.pause()
        first, second = (line(app.query_one(SampleRows), at) for at in (0, 1))
        assert first.startswith("✓ 1 #1 What is 23 * 45?")
        assert second.startswith("✗ 1 #2 What is 23 * 45?")
        assert "\x1b" not in first


@pytest.mark.parametrize("width", [60, 100, 160])
async def test_samples_of_a_task_with_a_long_name_are_told_apart(width: int) -> None:
    app, task = Shown(), "a-very-long-name-of-a-task-in-a-suite-of-tasks-with-long-names"
    samples = [result(task, "sandbox", 1.0, number=number) for number in (2, 1)]
    async with app.run_test(size=(width, 20)) as pilot:
        app.query_one(SampleList).show(samples, 0, "")
        await pilot.pause()
        rows = app.query_one(SampleRows)
        assert "… #2 " in line(rows, 0)
        assert "… #1 " in line(rows, 1)


async def test_an_empty_list_says_why() -> None:
    app = Shown()
    async with app.run_test(size=(60, 12)) as pilot:
        app.query_one(SampleList).show([], 0, "No matching samples.")
        await pilot.pause()
        assert "No matching samples." in line(app.query_one(SampleRows), 0)


async def test_a_sample_that_has_just_ended_is_in_no_other_program() -> None:
    app = Shown()
    async with app.run_test(size=(100, 20)) as pilot:
        runs = result("t", "sandbox", None, status="running", began_at=1.0)
        app.query_one(SampleList).show([runs], 1, "")
        await pilot.pause()
        assert "being recorded" in line(app.query_one(SampleRows), 0)


@pytest.mark.parametrize(("width", "is_shown"), [(60, False), (100, True), (160, True)])
async def test_what_was_expected_has_a_column_where_answers_have_room(
    width: int, is_shown: bool
) -> None:
    wrong = msgspec.structs.replace(
        result("t", "sandbox", 0.0, ended_at=1.0),
        target="Madrid\nor so",
        explanation="Read 'Oslo'.",
    )
    app = Shown()
    async with app.run_test(size=(width, 20)) as pilot:
        app.query_one(SampleList).show([wrong], 0, "")
        await pilot.pause()
        rows = app.query_one(SampleRows)
        assert ("expected" in rows.head) == is_shown
        assert ("Madrid" in line(rows, 0)) == is_shown
        assert "Read 'Oslo'." in line(rows, 0)
        if is_shown:
            at = rows.head.index("expected")
            assert line(rows, 0)[at:].startswith("Madrid")


async def test_tasks_without_a_target_have_no_such_column() -> None:
    app = Shown()
    async with app.run_test(size=(160, 20)) as pilot:
        app.query_one(SampleList).show(finished_samples(1), 0, "")
        await pilot.pause()
        assert "expected" not in app.query_one(SampleRows).head
