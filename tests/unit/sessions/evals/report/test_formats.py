"""The evaluation report as Markdown, HTML and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sandbox_tui.core.evals.meta_capabilities.capability import CountedCall, RunCapabilities
from sandbox_tui.core.evals.reporting.columns import columns_of
from sandbox_tui.core.evals.reporting.score_intervals import tango
from sandbox_tui.core.evals.reporting.unsolved import MAX_UNSOLVED
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.report.csv import cells_csv, samples_csv
from sandbox_tui.sessions.evals.report.html import html_report
from sandbox_tui.sessions.evals.report.json import json_report
from sandbox_tui.sessions.evals.report.markdown import markdown_report
from sandbox_tui.sessions.evals.report.report import EvalReport, eval_report
from sandbox_tui.sessions.evals.report.session_pages import session_link, write_session_pages
from tests.examples import examples
from tests.unit.core.evals.reporting.hostile import HOSTILE, HOSTILE_INFO, hostile_results
from tests.unit.core.evals.reporting.sample_results import INFO, evaluation, result
from tests.unit.core.evals.reporting.test_table import ROWS
from tests.unit.sample_run import keep, sample

USED = RunCapabilities(
    (CountedCall(2, "files", "grep -n a|b x.txt"), CountedCall(3, "computation", "print(6 * 7)"))
)


def hostile_report() -> EvalReport:
    used = {HOSTILE: RunCapabilities((CountedCall(1, "external", HOSTILE),))}
    return eval_report(HOSTILE_INFO, hostile_results(), capabilities=used)


class Tags(HTMLParser):
    """Collects the tags, links and text of a page.

    Attributes:
        tags: number of occurrences of each tag.
        attributes: names of all attributes.
        links: link targets.
        ids: ids of elements.
        text: all visible text.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        given = dict(attrs)
        self.attributes |= given.keys()
        self.links += [given["href"] or ""] if "href" in given else []
        self.ids += [given["id"] or ""] if "id" in given else []

    def handle_data(self, data: str) -> None:
        self.text += data


# --- Markdown


def test_markdown_by_hand() -> None:
    report = eval_report(
        INFO,
        [
            result("a", "vanilla", 0.0, cut_documents=2),
            result("a", "sandbox", 1.0),
            result("b", "sandbox", status="failed", finish_reason="model_error", error="Away."),
        ],
        capabilities={"sandbox-a": USED},
        links={"sandbox-a": "sessions/sandbox-a.html"},
    )
    text = markdown_report(report)
    assert text.startswith("# pocket · small-0.5b\n\n- suite: pocket, digest 0123456789abcdef\n")
    assert "- command: `sandbox-tui eval run pocket --model small-0.5b`\n" in text
    assert "| math | vanilla | 1/1 | 0.0 [0.0, 79.3] | – | 100 | – |" in text
    assert (
        "|  | sandbox | 2/2 | 100.0 [20.7, 100.0] | +100.0 [-58.7, +100.0] | 100 | 1.00× |" in text
    )
    assert "- sandbox: failures by kind: 1 model error.\n" in text
    assert "- sandbox: 1 sample has no score.\n" in text
    assert "- a \\#1 vanilla, 2 documents cut\n" in text
    assert "- b \\#1 sandbox, failed, model error: Away.\n" in text
    assert "- [a \\#1](sessions/sandbox-a.html) call 2: `grep -n a|b x.txt`\n" in text
    assert "- **Intervals.** 95%, over tasks" in text


def test_markdown_is_one_table_of_domains() -> None:
    report = eval_report(INFO, evaluation(3))
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown_report(report))
    kinds = Counter(token.type for token in tokens)
    assert kinds["table_open"] == 1
    assert kinds["tr_open"] == 1 + 8 * 2
    assert kinds["th_open"] == 2 + len(columns_of(report.table))


def test_nothing_in_markdown_can_act() -> None:
    text = markdown_report(hostile_report())
    assert text.replace("\n", "").isprintable()
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    every = [inner for token in tokens for inner in (token, *(token.children or ()))]
    harmful = {"html_block", "html_inline", "link_open", "image"}
    assert not [token.content for token in every if token.type in harmful]
    assert sum(token.type == "table_open" for token in every) == 1


# --- HTML


def test_every_cell_leads_to_its_samples_and_every_sample_to_its_session() -> None:
    results = evaluation(3)
    links = {r.run_id: f"sessions/{r.run_id}.html" for r in results}
    report = eval_report(INFO, results, links=links)
    page = Tags(html_report(report))
    inner = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inner) <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids) == 1 + 7 * 2
    assert Counter(inner).keys() == set(page.ids)
    assert len(inner) == 8 * 2 * (1 + len(columns_of(report.table)))
    outer = [link for link in page.links if not link.startswith("#")]
    listed = [links[one.sample.run_id] for one in report.unsolved[:MAX_UNSOLVED]]
    assert sorted(outer) == sorted([*links.values(), *listed])


def test_html_holds_the_figures_and_where_they_come_from() -> None:
    results = evaluation(3)
    used = {results[1].run_id: USED}
    page = Tags(html_report(eval_report(INFO, results, capabilities=used)))
    for words in ("0123456789abcdef", INFO.command, "seed 20260122", "grep -n a|b x.txt"):
        assert words in page.text
    assert page.tags["svg"] == 4 * 8
    assert page.tags["script"] == 0
    assert "style" not in page.attributes


def test_nothing_in_html_can_act() -> None:
    text = html_report(hostile_report())
    page = Tags(text)
    assert page.tags["script"] == page.tags["img"] == page.tags["iframe"] == 0
    assert not {name for name in page.attributes if name.startswith("on")}
    assert all(link.startswith("#") for link in page.links)
    assert "<script>alert(1)</script>" in page.text  # shown as plain text
    text.encode()  # no lone surrogates
    assert text.replace("\n", "").isprintable()


def test_empty_reports() -> None:
    report = eval_report(INFO, [])
    assert "0 of 0 samples" in html_report(report)
    assert "0 of 0 done" in markdown_report(report)
    assert samples_csv(report).count("\r\n") == 1
    assert cells_csv(report).count("\r\n") == 3


@examples(25)
@given(ROWS)
def test_any_rows_can_be_reported(rows: list[SampleResult]) -> None:
    report = eval_report(INFO, rows)
    for text in (markdown_report(report), html_report(report)):
        assert text.replace("\n", "").isprintable()
    assert len(list(csv.reader(io.StringIO(samples_csv(report), newline="")))) == 1 + len(rows)
    cells_csv(report)


# --- CSV


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_line_per_sample() -> None:
    first = result("a", "sandbox", 0.5, answer='says "7", or\n-7', target="-7")
    second = result("b", "sandbox", status="pending")
    report = eval_report(INFO, [second, first], capabilities={"sandbox-a": USED})
    lines = read(samples_csv(report))
    assert [line["task"] for line in lines] == ["a", "b"]
    assert lines[0]["score"] == "0.5"
    assert lines[0]["answer"] == 'says "7", or\n-7'
    assert lines[0]["target"] == "-7"
    assert [lines[0][f"{name}_calls"] for name in ("external", "files", "computation")] == [
        "0", "1", "1",
    ]  # fmt: skip
    assert (lines[1]["score"], lines[1]["files_calls"]) == ("", "")


def test_a_line_per_cell() -> None:
    results = [
        result("a", "vanilla", 0.0, began_at=100, seconds=30),
        result("b", "vanilla", 1.0, began_at=200, seconds=30),
        result("a", "sandbox", 1.0, began_at=300, seconds=60),
        result("b", "sandbox", 1.0, began_at=400, seconds=60),
    ]
    lines = read(cells_csv(eval_report(INFO, results)))
    assert [(line["domain"], line["mode"]) for line in lines] == [
        ("math", "vanilla"), ("math", "sandbox"), ("all", "vanilla"), ("all", "sandbox"),
    ]  # fmt: skip
    names = ("score", "difference", "difference_low", "difference_high", "difference_tasks")
    assert [lines[1][name] for name in names] == ["1.0", "0.5", *map(str, tango(1, 0, 2)), "2"]
    assert (lines[1]["per_minute_ratio"], lines[0]["tokens_ratio"]) == ("0.5", "")


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1"])
def test_spreadsheets_take_no_text_for_a_formula(text: str) -> None:
    (line,) = read(samples_csv(eval_report(INFO, [result("a", "sandbox", 1.0, answer=text)])))
    assert line["answer"] == f"'{text}"


@examples(60)
@given(st.text(max_size=30))
def test_any_answer_is_one_field(answer: str) -> None:
    rows = [result("a", "sandbox", 1.0, answer=answer, target="t")]
    (line,) = read(samples_csv(eval_report(INFO, rows)))
    assert line["target"] == "t"
    assert not set("\0\x1b\x7f") & set(line["answer"])


# --- JSON


def test_one_object_for_other_programs() -> None:
    results = [
        result("a", "vanilla", 0.0),
        result("a", "sandbox", 1.0),
        result("b", "sandbox", status="failed", finish_reason="model_error", error="Away."),
    ]
    made = json.loads(json_report(eval_report(INFO, results)))
    assert (made["suite"], made["model"], made["samples_done"]) == ("pocket", "small-0.5b", 3)
    vanilla, sandbox = made["domains"]["math"]
    assert (vanilla["mode"], vanilla["score"]["value"], vanilla["difference"]) == (
        *("vanilla", 0.0),
        None,
    )
    assert (sandbox["score"]["value"], sandbox["failures"]) == (1.0, {"model error": 1})
    assert [cell["domain"] for cell in made["total"]] == ["all", "all"]
    shown = [(one["task"], one["status"], one["score"], one["session"]) for one in made["samples"]]
    assert shown == [
        ("a", "scored", 1.0, "sandbox-a"),
        ("a", "scored", 0.0, "vanilla-a"),
        ("b", "failed", None, "sandbox-b"),
    ]


def test_a_moment_that_has_not_come_is_null_in_json() -> None:
    pending = SampleResult(task="t", mode="vanilla", number=1)
    made = json.loads(json_report(eval_report(INFO, [pending])))
    assert (made["began_at"], made["ended_at"]) == (INFO.began_at or None, INFO.ended_at or None)
    [written] = made["samples"]
    assert written["began_at"] is None
    assert written["ended_at"] is None


def test_hostile_text_is_data_in_json() -> None:
    made = json.loads(json_report(hostile_report()))
    assert {one["answer"] for one in made["samples"]} == {HOSTILE}


# --- HTML of the table


def test_the_score_comes_before_the_number_of_samples() -> None:
    """On a phone only the first column of figures is visible."""
    text = Tags(html_report(eval_report(INFO, evaluation(3)))).text
    assert text.index("score %") < text.index("done")


# --- pages of sessions


def test_pages_of_sessions_are_written_beside_the_report(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        keep(store, *sample("words"))
        wanted = ["r", "gone", "../../x", "r"]
        links = dict(write_session_pages(store, wanted, tmp_path / "out"))
    assert links == {"r": "sessions/r.html"}
    page = tmp_path / "out" / links["r"]
    assert page.read_text().startswith("<!doctype html>")
    assert [path.name for path in page.parent.iterdir()] == ["r.html"]


@pytest.mark.parametrize(
    "run_id", ["", ".", "..", "../x", "a/b", "a.b", "a b", "-x", "a\n", HOSTILE]
)
def test_odd_ids_have_no_page(run_id: str) -> None:
    assert session_link(run_id) is None


def test_a_chart_without_values_is_left_out() -> None:
    short = [result("a", mode, 1.0, seconds=10.0, began_at=100.0) for mode in INFO.modes]
    text = html_report(eval_report(INFO, short))
    assert "<figcaption>tokens a query</figcaption>" in text
    assert "<figcaption>queries a minute</figcaption>" not in text
    assert "No chart of queries a minute: in no mode did the samples run for a minute." in text
    long = [result("a", mode, 1.0, seconds=100.0, began_at=100.0) for mode in INFO.modes]
    more = [result("b", mode, 1.0, seconds=200.0, began_at=300.0) for mode in INFO.modes]
    text = html_report(eval_report(INFO, [*long, *more]))
    assert "<figcaption>queries a minute</figcaption>" in text
    assert "No chart of" not in text
