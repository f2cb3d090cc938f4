r"""Migration that decodes `\uXXXX` in the arguments of recorded calls, and reindexes them."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Any

from sandbox_tui.sessions.store.unescaped_arguments import unescaped_arguments


def arguments_unescaped(db: Any) -> None:
    """Update the calls whose arguments have escapes; a trigger updates the full-text index."""
    connection: Connection = db.conn
    rows = connection.execute(
        "SELECT id FROM calls WHERE instr(arguments || coalesce(proposed_arguments, ''), '\\u')"
    ).fetchall()
    for (call,) in rows:
        arguments, proposed = connection.execute(
            "SELECT arguments, proposed_arguments FROM calls WHERE id = ?", [call]
        ).fetchone()
        decoded = unescaped_arguments(arguments), proposed and unescaped_arguments(proposed)
        if decoded != (arguments, proposed):
            connection.execute(
                "UPDATE calls SET arguments = ?, proposed_arguments = ? WHERE id = ?",
                [*decoded, call],
            )
