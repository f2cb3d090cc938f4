"""The HTML table of domains by modes, for one evaluation or for two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sandbox_tui.core.evals.reporting.statistics import Certainty, Estimate
from sandbox_tui.core.evals.sample import EvalMode
from sandbox_tui.sessions.evals.report.page import link, text
from sandbox_tui.sessions.evals.report.plots import colour

DIFFERENCE = "difference"
"""Title of the column whose colour shows whether the interval excludes zero."""

_COLOURS: dict[Certainty, str] = {"better": "good", "worse": "bad"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: one domain in one mode.

    Attributes:
        mode: of the samples.
        texts: the figures, one per column.
        difference: determines the colour of the column `DIFFERENCE`.
        target: link of the figures; None for no link.
    """

    mode: EvalMode
    texts: Sequence[str]
    difference: Estimate | None
    target: str | None = None


def domains_table(titles: Sequence[str], domains: Iterable[tuple[str, Sequence[Line]]]) -> str:
    """Return the table; `titles` are the headings of its columns of figures."""
    head = "".join(f"<th>{text(title)}</th>" for title in titles)
    bodies = "".join(_domain(titles, name, lines) for name, lines in domains)
    return (
        '<div class="scroll" tabindex="0"><table class="domains"><thead><tr>'
        f'<th class="words">domain</th><th class="words">mode</th>{head}</tr></thead>'
        f"{bodies}</table></div>"
    )


def _domain(titles: Sequence[str], domain: str, lines: Sequence[Line]) -> str:
    name = text(domain)
    heading = f'<th class="words" rowspan="{len(lines)}" title="{name}">{name}</th>'
    rows = (
        f"<tr>{heading if at == 0 else ''}{_line(titles, line)}</tr>"
        for at, line in enumerate(lines)
    )
    return f"<tbody>{''.join(rows)}</tbody>"


def _line(titles: Sequence[str], line: Line) -> str:
    made = [f'<td class="words {colour(line.mode)}">{link(line.mode, line.target)}</td>']
    for title, shown in zip(titles, line.texts, strict=True):
        kind = f' class="{_colour(line.difference)}"' if title == DIFFERENCE else ""
        made.append(f"<td{kind}>{link(text(shown), line.target)}</td>")
    return "".join(made)


def _colour(difference: Estimate | None) -> str:
    return "dim" if difference is None else _COLOURS.get(difference.certainty, "dim")
