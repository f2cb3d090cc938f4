"""The report as one HTML file: the table, plots, methods, and every sample.

Each cell of the table links to its samples, and each sample to the page of its session, if the
report comes with such pages. All text from models, tasks and files is escaped; the page has no
scripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandbox_tui.core.evals.meta_capabilities.capability import CAPABILITIES
from sandbox_tui.core.evals.meta_capabilities.rules import RULES
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.columns import CAPABILITY_TITLES, Column, columns_of
from sandbox_tui.core.evals.reporting.facts import facts, remarks, title
from sandbox_tui.core.evals.reporting.methods import METHODS
from sandbox_tui.core.evals.reporting.outcomes import (
    ending_of,
    failure_kind,
    has_score,
    tokens_of,
)
from sandbox_tui.core.evals.reporting.table import Cell, EvalTable, Row
from sandbox_tui.core.evals.reporting.unsolved import MAX_UNSOLVED, Unsolved
from sandbox_tui.core.evals.reporting.unsolved import left_out as left_out_of
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions.evals.report import page
from sandbox_tui.sessions.evals.report.domains_table import Line, domains_table
from sandbox_tui.sessions.evals.report.page import definitions, items, lines, link, section, text
from sandbox_tui.sessions.evals.report.plots import left_out, legend, plots
from sandbox_tui.sessions.evals.report.report import EvalReport

ALL_SAMPLES = "samples"


def html_report(report: EvalReport) -> str:
    """Return the whole report."""
    table = report.table
    summary = f"{table.over} of {table.samples} samples · {figures.moment(table.info.began_at)}"
    return page.page(title(table.info), summary, _sections(report))


def _sections(report: EvalReport) -> Iterator[str]:
    table = report.table
    yield section("domains by modes", _domains_by_modes(table))
    yield legend(table.modes)
    yield f'<div class="plots">{"".join(plots(table))}</div>'
    yield from (f'<p class="left-out">{text(words)}</p>' for words in left_out(table))
    if notes := remarks(table):
        yield section("what the figures leave out", items(notes))
    if report.unsolved:
        yield section("not solved", _unsolved(report), text(left_out_of(report.unsolved)))
    yield section("this evaluation", definitions(facts(table)))
    if report.capabilities:
        rules = [(CAPABILITY_TITLES[name], RULES[name]) for name in CAPABILITIES]
        yield section("what the computer was used for", definitions(rules))
    yield section("how the figures are computed", definitions(METHODS))
    yield section("samples", *_samples(report), anchor=ALL_SAMPLES)


# --- the table


def _domains_by_modes(table: EvalTable) -> str:
    columns = _scores_first(columns_of(table))
    domains = [(row.domain, _lines(at, row, columns)) for at, row in enumerate(table.rows)]
    if table.total in table.rows_and_total:
        domains.append((table.total.domain, _lines(None, table.total, columns)))
    return domains_table([column.title for column in columns], domains)


def _scores_first(columns: Sequence[Column]) -> list[Column]:
    """Return the columns with the results before the number of samples: a phone shows only the
    first one."""
    return sorted(columns, key=lambda column: column.title not in ("score %", "difference"))


def _lines(number: int | None, row: Row, columns: Sequence[Column]) -> list[Line]:
    return [
        Line(
            cell.mode,
            [column.show(cell) for column in columns],
            cell.difference,
            f"#{_anchor(number, cell)}" if cell.samples else None,
        )
        for cell in row.cells
    ]


def _anchor(number: int | None, cell: Cell) -> str:
    """Return the anchor of a cell's samples; for all domains, that of the whole list."""
    return ALL_SAMPLES if number is None else f"{ALL_SAMPLES}-{number}-{cell.mode}"


# --- the tasks without success


def _unsolved(report: EvalReport) -> str:
    heads = ("task", "mode", "question", "answer", "target", "why")
    head = "".join(f'<th class="words">{words}</th>' for words in heads)
    rows = "".join(_unsolved_row(report, one) for one in report.unsolved[:MAX_UNSOLVED])
    return (
        f'<div class="scroll"><table class="samples"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _unsolved_row(report: EvalReport, one: Unsolved) -> str:
    name = link(text(one.sample.task), report.links.get(one.sample.run_id))
    texts = (one.question, one.answer, one.expected, one.why)
    cells = "".join(f'<td class="text"><div>{text(words)}</div></td>' for words in texts)
    return f'<tr><td class="words">{name}</td><td class="words">{one.sample.mode}</td>{cells}</tr>'


# --- the samples


def _samples(report: EvalReport) -> Iterator[str]:
    for number, row in enumerate(report.table.rows):
        for cell in row.cells:
            if not cell.samples:
                continue
            used = bool(cell.capabilities)
            calls = '<th class="words">calls that count</th>' if used else ""
            samples = report.of_cell(row.domain, cell.mode)
            rows = "".join(_sample(report, sample, used) for sample in samples)
            yield (
                f"<details><summary>{text(row.domain)} · {cell.mode} "
                f'<span class="dim">{cell.samples} samples</span></summary>'
                f'<div class="scroll" id="{_anchor(number, cell)}"><table class="samples"><thead>'
                '<tr><th class="words">task</th><th>score</th><th class="words">answer</th>'
                '<th class="words">target</th><th class="words">ended</th><th>tokens</th>'
                f"<th>seconds</th><th>steps</th>{calls}</tr></thead>"
                f"<tbody>{rows}</tbody></table></div></details>"
            )


def _sample(report: EvalReport, sample: SampleResult, used: bool) -> str:
    name = f"{text(sample.task)} #{sample.number}"
    level = f'<br><span class="dim">level {sample.level}</span>' if sample.level else ""
    cells = [
        f'<td class="words">{link(name, report.links.get(sample.run_id))}{level}</td>',
        _score(sample),
        f'<td class="text answer"><div tabindex="0">{lines(sample.answer or "")}</div></td>',
        f'<td class="text"><div>{lines(sample.target)}</div></td>',
        f'<td class="text">{_ending(sample)}</td>',
        f"<td>{figures.count(tokens_of(sample))}</td>",
        f"<td>{figures.mean(sample.seconds)}</td>",
        f"<td>{sample.steps}</td>",
    ]
    if used:
        cells.append(f'<td class="text">{_calls(report, sample)}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _score(sample: SampleResult) -> str:
    if has_score(sample) and sample.score is not None:
        kind = "good" if sample.score >= 1 else "bad" if sample.score <= 0 else ""
        return f'<td class="{kind}">{figures.points(sample.score)}</td>'
    return f'<td class="dim">{figures.NONE}</td>'


def _ending(sample: SampleResult) -> str:
    words = ending_of(sample) or failure_kind(sample) or sample.finish_reason or sample.status
    if sample.over and not has_score(sample):
        words = f"{sample.status}: {failure_kind(sample)}"
    parts = [text(words)]
    more = filter(None, (sample.error, sample.explanation))
    parts += (f'<span class="dim">{text(words)}</span>' for words in more)
    if sample.cut_documents:
        parts.append(f'<span class="dim">documents cut: {sample.cut_documents}</span>')
    return "\n".join(parts)


def _calls(report: EvalReport, sample: SampleResult) -> str:
    found = report.calls_of(sample)
    if not found:
        return ""
    listed = "\n".join(
        f"{call.number} {CAPABILITY_TITLES[call.capability]}: {text(call.evidence)}"
        for call in found
    )
    return f"<details><summary>{len(found)}</summary><pre>{listed}</pre></details>"
