"""The lines of a session in the list: columns if there is room, otherwise two lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.text import Text

from sandbox_tui.sessions.relations.fork_origin import own_part
from sandbox_tui.sessions.relations.listing import SessionRow
from sandbox_tui.tui.format.answers import fork_title, sample_title
from sandbox_tui.tui.format.titles import task_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.fork_words import fork_words
from sandbox_tui.tui.widgets.sessions.session_columns import (
    COLUMNS_FROM,
    Columns,
    columns_lines,
    columns_of,
    facts_of,
    fitted,
    takes_second_line,
)
from sandbox_tui.tui.widgets.sessions.session_result import result_words
from sandbox_tui.tui.widgets.sessions.session_rows import (
    NARROW,
    facts_line,
    head_of,
    notes_beside_title,
    with_age,
)

MAX_INDENTED_DEPTH = 5
"""Deeper forks are not indented any further."""

_SIGN_COLUMNS = 5
"""Columns between branch and title: the sign of the outcome, and the mark that may come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLines:
    """What the lines of the listed sessions have in common.

    Attributes:
        columns: as wide as their texts.
        usual_title: columns that three of four titles need, with what stands before them.
        longest_title: columns that the longest title needs.
        names_imported: whether any of them was imported.
        tags: by session.
        waiting: the sessions in which a call waits for the user, with the call in words.
    """

    columns: Columns = field(default_factory=Columns)
    usual_title: int = 0
    longest_title: int = 0
    names_imported: bool = False
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    waiting: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(
        cls,
        rows: Iterable[SessionRow],
        tags: Mapping[str, Sequence[str]],
        waiting: Mapping[str, str],
    ) -> SessionLines:
        """Return what the lines of these sessions have in common."""
        listed = list(rows)
        facts = (
            facts_of(
                own_part(row.run, row.lineage.shared),
                waiting.get(row.run.id),
                _inherited(row),
            )
            for row in listed
        )
        titles = sorted(map(_title_columns, listed)) or [0]
        return cls(
            columns=columns_of(facts),
            usual_title=titles[(len(titles) - 1) * 3 // 4],
            longest_title=titles[-1],
            names_imported=any(row.run.imported for row in listed),
            tags=tags,
            waiting=waiting,
        )

    def height(self, row: SessionRow, width: int) -> int:
        """Return the number of lines of a session in a list of this width."""
        return 1 + (width < COLUMNS_FROM or self._has_notes_below(row, width))

    def _fitted(self, width: int) -> Columns:
        return fitted(
            self.columns,
            width,
            usual_title=self.usual_title,
            longest_title=self.longest_title,
            names_imported=self.names_imported,
        )

    def _has_notes_below(self, row: SessionRow, width: int) -> bool:
        tags = self.tags.get(row.run.id, ())
        if not tags and row.lineage.origin is None:
            return False
        columns = self._fitted(width)
        notes = sum(cell_len(tag) + 2 for tag in tags) + cell_len(fork_words(row.lineage)) + 2
        waits_for = self.waiting.get(row.run.id, "")
        return takes_second_line(
            columns,
            width,
            title=_title_columns(row),
            result=cell_len(result_words(row.run, waits_for)),
            notes=notes,
        )

    def draw(self, row: SessionRow, width: int, palette: Palette, *, is_marked: bool) -> list[Text]:
        """Draw a session, as many lines as `height` says."""
        run, branch = own_part(row.run, row.lineage.shared), _branch(row)
        waits_for, tags = self.waiting.get(run.id), self.tags.get(run.id, ())
        is_wide, waits = width >= COLUMNS_FROM, waits_for is not None
        title = _title(row, short=is_wide)
        head = head_of(run, palette, branch=branch, marked=is_marked, waits=waits, title=title)
        if is_wide:
            return columns_lines(
                run,
                width,
                palette,
                head=head,
                columns=self._fitted(width),
                waits_for=waits_for,
                inherited=_inherited(row),
                notes=notes_beside_title(tags, fork_words(row.lineage), palette),
                notes_below=self._has_notes_below(row, width),
                branch=_branch_below(row),
            )
        fork_label = fork_words(row.lineage, short=True)
        below = facts_line(
            run,
            width,
            palette,
            branch=_branch_below(row),
            fork_label=fork_label.removeprefix("forked " if width < NARROW else ""),
            tags=tags,
            waits_for=waits_for,
            shows_result=waits or row.sample is None,
            inherited=_inherited(row),
        )
        return [with_age(head, run.run_started_at, width, palette), below]


def _inherited(row: SessionRow) -> int:
    """Return how many steps a fork took over from its parent."""
    return 0 if row.lineage.origin is None else row.lineage.origin.step


def _title_columns(row: SessionRow) -> int:
    return cell_len(_branch(row)) + _SIGN_COLUMNS + cell_len(_title(row, short=True))


def _title(row: SessionRow, *, short: bool) -> str:
    if row.fork_of is not None:  # the task is that of the group
        return fork_title(row.fork_of, row.run)
    if row.sample is None:
        return task_title(row.run)
    return sample_title(row.sample, row.run, short=short)


def _branch(row: SessionRow) -> str:
    """Return the branch drawn from a parent to its fork, or from a task to its sample."""
    if not row.closes:
        return ""
    *before, is_last = row.closes[-MAX_INDENTED_DEPTH - 1 :]
    lines = "".join("   " if closed else " │ " for closed in before)
    return f"{lines} └─" if is_last else f"{lines} ├─"


def _branch_below(row: SessionRow) -> str:
    """Return what goes on of the branches beside the second line of a session."""
    lines = _branch(row)
    return f"{lines[:-3]}{' │ ' if lines.endswith('├─') else '   '}" if lines else ""
