"""The report as Markdown, for a repository or an issue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from sandbox_tui.core.evals.meta_capabilities.capability import CAPABILITIES
from sandbox_tui.core.evals.meta_capabilities.rules import RULES
from sandbox_tui.core.evals.reporting.columns import CAPABILITY_TITLES, columns_of
from sandbox_tui.core.evals.reporting.facts import facts, remarks, title
from sandbox_tui.core.evals.reporting.methods import METHODS
from sandbox_tui.core.evals.reporting.outcomes import failure_kind
from sandbox_tui.core.evals.reporting.table import EvalTable
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions.evals.report.report import EvalReport
from sandbox_tui.sessions.interchange.exports.markdown_sanitizer import code, inline

MAX_EXAMPLES = 5
MAX_LISTED = 50
"""Maximum number of samples listed without a score, or with shortened documents."""

MAX_TEXT_CHARS = 200


def markdown_report(report: EvalReport) -> str:
    """Return the whole report."""
    table = report.table
    parts = [f"# {inline(title(table.info))}", "\n".join(fact_lines(facts(table)))]
    parts += ["## Domains by modes", domains_by_modes(table)]
    if notes := [f"- {inline(text)}" for text in remarks(table)]:
        parts += ["## What the figures leave out", "\n".join(notes)]
    if cut := [result for result in report.results if result.cut_documents]:
        parts.append("\n".join(_listed(report, cut, _cut)))
    if lost := report.lost():
        parts.append("\n".join(_listed(report, lost, _lost)))
    if report.capabilities:
        parts += ["## What the computer was used for", *_capabilities(report)]
    parts += ["## How the figures are computed", method_lines(METHODS)]
    return "\n\n".join(parts) + "\n"


def fact_lines(found: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Format facts as a list; commands and the like as code."""
    for name, value in found:
        yield f"- {name}: {code(value) if name == 'command' else inline(value)}"


def domains_by_modes(table: EvalTable) -> str:
    """Return the table in GitHub Flavored Markdown."""
    columns = columns_of(table)
    lines = [["domain", "mode", *(column.title for column in columns)]]
    for row in table.rows_and_total:
        for at, cell in enumerate(row.cells):
            domain = inline(row.domain[:MAX_TEXT_CHARS]) if at == 0 else ""
            shown = (column.show(cell) for column in columns)
            lines.append([domain, cell.mode, *shown])
    return grid(lines, left=2)


def grid(lines: Sequence[Sequence[str]], left: int) -> str:
    """Return a table of text cells; the first `left` columns are left-aligned, the others
    right-aligned."""
    marks = [":--" if at < left else "--:" for at in range(len(lines[0]))]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], marks, *lines[1:]))


def method_lines(methods: Sequence[tuple[str, str]]) -> str:
    """Format methods as a list."""
    return "\n".join(f"- **{name}.** {text}" for name, text in methods)


def _listed(
    report: EvalReport, results: Sequence[SampleResult], words: Callable[[SampleResult], str]
) -> Iterator[str]:
    for result in results[:MAX_LISTED]:
        yield f"- {_named(report, result)} {result.mode}, {inline(words(result)[:MAX_TEXT_CHARS])}"
    if len(results) > MAX_LISTED:
        yield f"- and {len(results) - MAX_LISTED} more"


def _cut(result: SampleResult) -> str:
    count = result.cut_documents
    return "1 document cut" if count == 1 else f"{count} documents cut"


def _lost(result: SampleResult) -> str:
    why = result.error or result.explanation
    kind = f"{result.status}, {failure_kind(result)}"
    return f"{kind}: {why}" if why else kind


def _capabilities(report: EvalReport) -> Iterator[str]:
    for name in CAPABILITIES:
        yield f"**{CAPABILITY_TITLES[name].capitalize()}**: {inline(RULES[name])}"
        examples = [
            f"- {_named(report, result)} call {call.number}: {code(_short(call.evidence))}"
            for result, call in islice(report.counted(name), MAX_EXAMPLES)
        ]
        yield "\n".join(examples or ["- no call"])


def _named(report: EvalReport, result: SampleResult) -> str:
    """Return a sample's task and number, linked to the page of its session if there is one."""
    words = inline(f"{result.task[:MAX_TEXT_CHARS]} #{result.number}")
    link = report.links.get(result.run_id)
    return f"[{words}]({link})" if link else words


def _short(text: str) -> str:
    line = " ".join(text.split())[:MAX_TEXT_CHARS]
    return "".join(char if char.isprintable() else "�" for char in line)
