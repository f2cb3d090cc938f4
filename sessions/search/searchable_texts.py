"""The searchable texts, each in a full-text index (FTS5).

The indexes belong to the tables `steps`, `calls`, `messages` and `notes`; a text is one column of a
table, or all its indexed columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.sessions.search.query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A searchable text.

    Attributes:
        name: of the text.
        table: that contains it.
        seq, step, kind: SQL for the event's number, its step, and the kind of hit.
        text: SQL for the text itself.
        column: of the index; None for all of them.
    """

    name: str
    table: str
    seq: str
    step: str
    kind: str
    text: str
    column: str | None = None

    @property
    def index(self) -> str:
        """Name of the full-text index."""
        return f"{self.table}_fts"

    def select(self, query: Query) -> tuple[str, list[str]]:
        """Return SQL for the rows that match the words of a query, and its parameters.

        A rank depends on the length of the whole row. It is rounded so that common words, whose
        ranks are about 1e-6, leave the order to the events.
        """
        rows, score = f"{self.table} AS t", "0.0"
        conditions, values = list[str](), list[str]()
        if query.match:
            rows = f"{self.index} JOIN {rows} ON t.id = {self.index}.rowid"
            score = f"round({self.index}.rank, 4)"
            conditions.append(f"{self.index} MATCH ?")
            values.append(self.match(query.match))
        elif query.excluded:
            found = f"SELECT rowid FROM {self.index} WHERE {self.index} MATCH ?"
            conditions.append(f"t.id NOT IN ({found})")
            values.append(self.match(query.excluded))
        conditions += [f"instr({self.text}, ?)" for _ in query.literals]
        conditions += [f"NOT instr({self.text}, ?)" for _ in query.excluded_literals]
        values += [*query.literals, *query.excluded_literals]
        if query.filters.tool is not None:
            conditions.append("instr(lower(t.tool), lower(?))")
            values.append(query.filters.tool)
        return (
            f"SELECT '{self.name}' AS source, t.id, t.run_id, {self.seq} AS seq,"
            f" {self.step} AS step, {self.kind} AS kind, {score} AS score"
            f" FROM {rows} WHERE {' AND '.join(conditions)}",
            values,
        )

    def match(self, expression: str) -> str:
        """Return an FTS5 expression restricted to this text (https://www.sqlite.org/fts5.html,
        section 3.7)."""
        return expression if self.column is None else f"{self.column} : ({expression})"


SOURCES = (
    Source(
        name="replies",
        table="steps",
        seq="t.seq",
        step="t.number",
        kind="'reply'",
        text="t.content",
    ),
    Source(
        name="calls",
        table="calls",
        seq="coalesce(t.proposed_seq, t.finished_seq, 0)",
        step="t.step",
        kind="'call'",
        text="t.input",
        column="input",
    ),
    Source(
        name="observations",
        table="calls",
        seq="t.finished_seq",
        step="t.step",
        kind="'observation'",
        text="t.observation",
        column="observation",
    ),
    Source(
        name="messages",
        table="messages",
        seq="t.seq",
        step="t.step",
        kind="t.kind",
        text="t.text",
    ),
    Source(name="notes", table="notes", seq="-t.id", step="t.step", kind="'note'", text="t.text"),
)


def matching(query: Query) -> tuple[str, list[str]]:
    """Return SQL for all texts that match the words of a query, and its parameters; with a filter
    for a tool, only calls of that tool and their output."""
    has_tool = query.filters.tool is not None
    selects = [one.select(query) for one in SOURCES if one.table == "calls" or not has_tool]
    values = [value for _, values in selects for value in values]
    return " UNION ALL ".join(sql for sql, _ in selects), values
