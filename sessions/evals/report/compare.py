"""Compares two evaluations on the same tasks, as Markdown or as one HTML file."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping

from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.comparison import EvalComparison, ScoreChange
from sandbox_tui.core.evals.reporting.comparison_words import (
    PAIRED_COLUMNS,
    PAIRED_METHODS,
    paired_facts,
    paired_remarks,
    paired_title,
    paired_warning,
)
from sandbox_tui.sessions.evals.report import page
from sandbox_tui.sessions.evals.report.domains_table import Line, domains_table
from sandbox_tui.sessions.evals.report.markdown import fact_lines, grid, method_lines
from sandbox_tui.sessions.evals.report.page import definitions, items, link, section, text
from sandbox_tui.sessions.interchange.exports.markdown_sanitizer import inline

Links = Mapping[str, str]
"""Links to the pages of sessions, relative to the report, by run id."""


def comparison_markdown(found: EvalComparison, links: Links | None = None) -> str:
    """Return the comparison as Markdown."""
    lines = [["domain", "mode", *(column.title for column in PAIRED_COLUMNS)]]
    lines += (
        [inline(cell.domain[:200]), cell.mode, *(column.show(cell) for column in PAIRED_COLUMNS)]
        for cell in found.cells
    )
    warning = paired_warning(found)
    parts = [f"# {inline(paired_title(found))}", *([f"**{warning}**"] if warning else [])]
    parts.append("\n".join(fact_lines(paired_facts(found))))
    if found.common:
        parts += ["## Left and right", grid(lines, left=2)]
    if remarks := paired_remarks(found):
        parts.append("\n".join(f"- {inline(text)}" for text in remarks))
    if found.changes:
        head = ["task", "domain", "mode", "left %", "right %"]
        changes = [_change_line(change, links or {}) for change in found.changes]
        parts += ["## Tasks whose scores differ", grid([head, *changes], left=3)]
    parts += ["## How the figures are computed", method_lines(PAIRED_METHODS)]
    return "\n\n".join(parts) + "\n"


def _change_line(change: ScoreChange, links: Links) -> list[str]:
    scores = ((change.before, change.left_run), (change.after, change.right_run))
    return [
        inline(change.task[:200]),
        inline(change.domain[:200]),
        change.mode,
        *(
            f"[{figures.points(score)}]({links[run]})" if run in links else figures.points(score)
            for score, run in scores
        ),
    ]


def comparison_html(found: EvalComparison, links: Links | None = None) -> str:
    """Return the comparison as one HTML file."""
    return page.page(paired_title(found), "", _sections(found, links or {}))


def _sections(found: EvalComparison, links: Links) -> Iterator[str]:
    if warning := paired_warning(found):
        yield section("nothing to compare", items([warning]))
    if found.common:
        yield section("left and right", _table(found))
    if remarks := paired_remarks(found):
        yield section("in short", items(remarks))
    if found.changes:
        yield section("tasks whose scores differ", _changes(found.changes, links))
    yield section("these evaluations", definitions(paired_facts(found)))
    yield section("how the figures are computed", definitions(PAIRED_METHODS))


def _table(found: EvalComparison) -> str:
    domains: dict[str, list[Line]] = {}
    for cell in found.cells:
        shown = [column.show(cell) for column in PAIRED_COLUMNS]
        domains.setdefault(cell.domain, []).append(Line(cell.mode, shown, cell.difference))
    return domains_table([column.title for column in PAIRED_COLUMNS], domains.items())


def _changes(changes: tuple[ScoreChange, ...], links: Links) -> str:
    rows = "".join(
        f'<tr><td class="words">{text(change.task)}</td>'
        f'<td class="words">{text(change.domain)}</td>'
        f'<td class="words">{html.escape(change.mode)}</td>'
        f"<td>{link(figures.points(change.before), links.get(change.left_run))}</td>"
        f'<td class="{"good" if change.is_better else "bad"}">'
        f"{link(figures.points(change.after), links.get(change.right_run))}</td></tr>"
        for change in changes
    )
    return (
        '<div class="scroll"><table class="samples"><thead><tr><th class="words">task</th>'
        '<th class="words">domain</th><th class="words">mode</th><th>left %</th><th>right %</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )
