"""The report of an evaluation in a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.report.html import html_report
from sandbox_tui.sessions.evals.report.report import eval_report
from sandbox_tui.sessions.evals.report.session_pages import write_session_pages
from tests.e2e.browser import PROGRAM, Page, browser
from tests.unit.core.evals.reporting.hostile import HOSTILE_INFO, hostile_results
from tests.unit.core.evals.reporting.sample_results import INFO, evaluation, result
from tests.unit.sample_run import keep, sample

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium on this machine")

READY = "document.readyState === 'complete'"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with browser(tmp_path / "profile") as opened:
        opened.size(1280, 900)
        yield opened


def test_a_cell_opens_its_samples_and_a_sample_its_session(page: Page, tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        keep(store, *sample("words"))
        links = dict(write_session_pages(store, ["r"], tmp_path))
    rows = [*evaluation(2), result("one-more", "sandbox", 1.0, run_id="r")]
    path = tmp_path / "report.html"
    path.write_text(html_report(eval_report(INFO, rows, links=links)))
    page.open(path.as_uri(), READY)
    assert page.run("[...document.querySelectorAll('details')].some((d) => d.open)") is False
    page.run("document.querySelectorAll('.domains tbody')[4].rows[1].querySelector('td a').click()")
    opened = "[...document.querySelectorAll('details')].filter((d) => d.open)"
    shown = page.until(f"{opened}.map((d) => d.querySelector('summary').innerText).join()")
    assert shown == "math · sandbox 3 samples"
    page.run(f"{opened}[0].querySelector('a').click()")
    page.until("document.documentElement.dataset.ready")
    assert page.run("location.pathname").endswith("/sessions/r.html")
    assert page.problems == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_page_fits_wide_and_narrow_windows(page: Page, tmp_path: Path, scheme: str) -> None:
    path = tmp_path / "report.html"
    path.write_text(html_report(eval_report(INFO, evaluation())))
    colours = [{"name": "prefers-color-scheme", "value": scheme}]
    page.send("Emulation.setEmulatedMedia", features=colours)
    for width in (1280, 400):
        page.size(width, 900)
        page.open(path.as_uri(), READY)
        assert page.run("document.documentElement.scrollWidth <= innerWidth")
        widths = "[...document.querySelectorAll('svg')].map((s) => s.getBoundingClientRect().width)"
        assert min(page.run(widths)) > 100
        if folder := os.environ.get("SANDBOX_TUI_PICTURES"):
            Path(folder, f"eval-report-{scheme}-{width}.png").write_bytes(page.screenshot())
    back = page.run("getComputedStyle(document.body).backgroundColor")
    assert back == {"dark": "rgb(15, 19, 24)", "light": "rgb(247, 245, 240)"}[scheme]
    assert (page.problems, set(page.requests)) == ([], {path.as_uri()})


def test_nothing_in_an_evaluation_can_act(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(html_report(eval_report(HOSTILE_INFO, hostile_results())))
    page.send(
        "Page.addScriptToEvaluateOnNewDocument",
        source="window.acted = []; window.alert = (what) => window.acted.push(what);",
    )
    page.open(path.as_uri(), READY)
    page.run("for (const d of document.querySelectorAll('details')) d.open = true")
    assert page.run("window.acted") == []
    assert page.run("document.querySelectorAll('script, img, iframe, form').length") == 0
    assert "<script>alert(1)</script>" in page.run("document.body.innerText")
    assert (page.problems, set(page.requests)) == ([], {path.as_uri()})
