"""The searchable texts, each in a full-text index (FTS5).

The indexes belong to the tables `steps`, `calls`, `messages` and `notes`; a text is one column of a
table, or all its indexed columns.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A searchable text.

    Attributes:
        name: of the text.
        table: that contains it.
        seq, step, kind: SQL for the event's number, its step, and the kind of hit.
        column: of the index; None for all of them.
    """

    name: str
    table: str
    seq: str
    step: str
    kind: str
    column: str | None = None

    @property
    def index(self) -> str:
        """Name of the full-text index."""
        return f"{self.table}_fts"

    @property
    def select(self) -> str:
        """SQL for the rows that match its parameter.

        A rank depends on the length of the whole row. It is rounded so that common words, whose
        ranks are about 1e-6, leave the order to the events.
        """
        return (
            f"SELECT '{self.name}' AS source, t.id, t.run_id, {self.seq} AS seq,"
            f" {self.step} AS step, {self.kind} AS kind, round({self.index}.rank, 4) AS score"
            f" FROM {self.index} JOIN {self.table} AS t ON t.id = {self.index}.rowid"
            f" WHERE {self.index} MATCH ?"
        )

    def match(self, expression: str) -> str:
        """Return an FTS5 expression restricted to this text (https://www.sqlite.org/fts5.html,
        section 3.7)."""
        return expression if self.column is None else f"{self.column} : ({expression})"


SOURCES = (
    Source(name="replies", table="steps", seq="t.seq", step="t.number", kind="'reply'"),
    Source(
        name="calls",
        table="calls",
        seq="coalesce(t.proposed_seq, t.finished_seq, 0)",
        step="t.step",
        kind="'call'",
        column="input",
    ),
    Source(
        name="observations",
        table="calls",
        seq="t.finished_seq",
        step="t.step",
        kind="'observation'",
        column="observation",
    ),
    Source(name="messages", table="messages", seq="t.seq", step="t.step", kind="t.kind"),
    Source(name="notes", table="notes", seq="-t.id", step="t.step", kind="'note'"),
)
