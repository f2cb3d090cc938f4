"""The line of a sample in the list below the table."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting.outcomes import (
    FULL_SCORE,
    ending_of,
    failure_kind,
    has_score,
)
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.evals.domain_grid import cut

_EXPECTED = "expected"

MAX_TARGET_CHARACTERS = 200
"""Maximum number of characters of a target that a line may show."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Column widths of the list in cells; 0 hides a column.

    Attributes:
        task, mode: columns of names; the first also has the start of the question.
        steps, tokens: columns of figures, hidden on narrow screens.
        expected: column of the targets, hidden on narrow screens, which need the room for answers.
        is_numbered: whether tasks have several samples of a mode, so that each shows its number.
    """

    task: int
    mode: int
    steps: int
    tokens: int
    expected: int = 0
    is_numbered: bool = False

    @classmethod
    def at(
        cls,
        width: int,
        longest_task: int,
        longest_mode: int,
        longest_target: int = 0,
        *,
        is_numbered: bool = False,
    ) -> Columns:
        """Return the columns that fit a width."""
        expected = _width_of_targets(width, longest_target)
        most = 18 if width < 70 else 26 if width < 110 else 44
        if expected and width < 110:  # at the cost of the question, not of the answer
            most -= expected + 2
        return cls(
            task=max(4, min(longest_task, most)),
            mode=longest_mode,
            steps=5 if width >= 66 else 0,
            tokens=7 if width >= 76 else 0,
            expected=expected,
            is_numbered=is_numbered,
        )


def _width_of_targets(width: int, longest: int) -> int:
    most = 0 if width < 88 else 10 if width < 110 else 16 if width < 140 else 24
    return max(len(_EXPECTED), min(longest, most)) if longest and most else 0


def head_line(columns: Columns) -> str:
    """Return the column titles."""
    line = f"  {cut('task', columns.task)}  {cut('mode', columns.mode)}  score"
    line += f" {'steps':>{columns.steps}}" if columns.steps else ""
    line += f" {'tokens':>{columns.tokens}}" if columns.tokens else ""
    expected = f"  {cut(_EXPECTED, columns.expected)}" if columns.expected else ""
    return f"{line} {'time':>6}{expected}  details"


def name_of(sample: SampleResult, question: str, columns: Columns) -> str:
    """Return a sample's task, its number if others have the same task, which no long name hides,
    and the start of the question, since many ids are only numbers."""
    number = f" #{sample.number}" if columns.is_numbered else ""
    task, room = sanitize_line(sample.task), columns.task - len(number)
    shown = task if cell_len(task) <= room else cut(task, room)
    asked = "" if question == sample.task else sanitize_line(question)
    return f"{shown}{number} {asked}".rstrip()


def sample_line(
    sample: SampleResult,
    columns: Columns,
    width: int,
    palette: Palette,
    doing: str,
    seconds: float,
    question: str = "",
) -> Text:
    """Return the line of one sample.

    Args:
        sample: the sample.
        columns: the column widths.
        width: width of the whole line.
        palette: the palette to draw with.
        doing: what a running sample is doing.
        seconds: how long it has been running, or how long it took.
        question: the first line of its question.
    """
    sign, style = sign_of(sample, palette)
    name = name_of(sample, question, columns)
    runs = sample.status == "running"
    line = Text(f"{sign} ", style=style, no_wrap=True)
    line.append(f"{cut(name, columns.task)}  ", style=palette.text)
    line.append(f"{cut(sample.mode, columns.mode)}  ", style=palette.dim)
    line.append(f"{_score(sample):>5}", style=style)
    known = sample.steps if not runs or sample.steps else None
    if columns.steps:
        steps = "" if known is None else str(known)
        line.append(f" {steps:>{columns.steps}}", style=palette.dim)
    if columns.tokens:
        tokens = sample.input_tokens + sample.output_tokens
        words = numbers.tokens(tokens, estimated=sample.estimated) if tokens else ""
        line.append(f" {words:>{columns.tokens}}", style=palette.dim)
    line.append(f" {short_duration(seconds):>6}  ", style=palette.dim)
    if columns.expected:
        line.append(f"{cut(expected_of(sample), columns.expected)}  ", style=palette.dim)
    words, look = _words(sample, doing, palette)
    line.append(words, style=look)
    line.truncate(width, overflow="ellipsis")
    return line


def expected_of(sample: SampleResult) -> str:
    """Return the start of the task's target, in one line."""
    return sanitize_line(sample.target[:MAX_TARGET_CHARACTERS])


def sign_of(sample: SampleResult, palette: Palette) -> tuple[str, Style]:
    """Return the sign and style of a sample's status."""
    if sample.status == "running":
        return "●", palette.good
    if sample.cancelled:
        return "◌", palette.warn
    if sample.status == "pending":
        return "·", palette.faint
    if not has_score(sample):
        return "!", palette.warn
    if sample.score == FULL_SCORE:
        return "✓", palette.good
    return ("✗", palette.bad) if not sample.score else ("◐", palette.warn)


def is_wrong(sample: SampleResult) -> bool:
    """Return whether it has a score below the maximum."""
    return has_score(sample) and sample.score != FULL_SCORE


def has_failed(sample: SampleResult) -> bool:
    """Return whether an error, a limit or a missing answer prevented a right answer."""
    return bool(failure_kind(sample))


def is_unsolved(sample: SampleResult) -> bool:
    """Return whether it has ended without a right answer."""
    return is_wrong(sample) or has_failed(sample)


def _score(sample: SampleResult) -> str:
    return f"{sample.score:.2f}" if has_score(sample) and sample.score is not None else ""


def _words(sample: SampleResult, doing: str, palette: Palette) -> tuple[str, Style]:
    if sample.status == "running":
        return sanitize_line(doing), palette.text
    if sample.cancelled:
        return "cancelled", palette.warn
    if sample.error:
        return sanitize_line(sample.error), palette.warn
    ending = ending_of(sample)
    ended = f"{ending}: " if ending else ""
    return sanitize_line(f"{ended}{sample.explanation or sample.answer or ''}"), palette.dim
