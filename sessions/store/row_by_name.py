"""Finds the row that the user names by an id, by a part of one, or by the name in its list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.base.errors import NotStored
from sandbox_tui.sessions.store.database import Database
from sandbox_tui.sessions.store.ids import EITHER_END, END_OF_A_PART
from sandbox_tui.sessions.store.tables.runs import MIN_PREFIX

MAX_LISTED = 3
"""Maximum number of ids that an error message lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRows:
    """A kind of rows that users name by id.

    Attributes:
        query: SQL up to its WHERE; the rows have an `id`.
        order: SQL of their order.
        noun: the kind in words, such as `training run`.
        title: the column with the name that its list shows, which several rows may share.
        command: the command that lists them.
        nothing: error message if there are none yet.
    """

    query: str
    order: str
    noun: str
    title: str
    command: str
    nothing: str

    def find(self, database: Database, name: str, *, strict: bool) -> dict[str, Any]:
        """Return the row whose id is `name`, or else the only one with this name, or else the only
        one whose id has a part (between hyphens) that starts or ends with it; `last` is the first
        in `order`.

        Args:
            database: the database to search.
            name: the id, or a part of it.
            strict: for irreversible actions: accept only the id, or at least `MIN_PREFIX`
                characters that it starts or ends with.

        Raises:
            NotStored: no row matches, or more than one.
        """
        if name == "last":
            newest = database.rows(f"{self.query} {self.order} LIMIT 1")
            if not newest:
                raise NotStored(self.nothing)
            return newest[0]
        has_title = f"{self.title} = ?1"
        if strict and len(name) < MIN_PREFIX:
            if not self._ids(database, f"WHERE {has_title} OR {END_OF_A_PART}", [name]):
                raise self._unknown(database, f"{name!r}")
            raise NotStored(
                f"{name!r} is too short: type the id of one {self.noun}, or at least its first or "
                f"last {MIN_PREFIX} characters."
            )
        for fits in ("id = ?1", has_title, EITHER_END if strict else END_OF_A_PART):
            found = database.rows(f"{self.query} WHERE {fits} {self.order}", [name])
            if fits == has_title and found and strict:
                raise NotStored(
                    f"{name!r} is no id, but a name: {self._fitting(database, fits, name)}."
                )
            if len(found) > 1:
                ids = self._fitting(database, fits, name)
                if fits == has_title:
                    raise NotStored(f"Several {self.noun}s have the name {name!r}: {ids}.")
                count = f"{name!r} matches {len(found)} {self.noun}s"
                raise NotStored(f"{count}: {ids}. Type more of the id.")
            if found:
                return found[0]
        fit = f"whose id begins or ends with {name!r}" if strict else f"{name!r}"
        raise self._unknown(database, fit)

    def _unknown(self, database: Database, named: str) -> NotStored:
        ids = self._ids(database, "", [])
        if not ids:
            return NotStored(self.nothing)
        return NotStored(f"There is no {self.noun} {named}, but there is {_listed(ids)}.")

    def _fitting(self, database: Database, fits: str, name: str) -> str:
        return _listed(self._ids(database, f"WHERE {fits}", [name]))

    def _ids(self, database: Database, where: str, values: list[object]) -> list[str]:
        """Return ids with names, one more than an error message lists."""
        table = self.query.rpartition(" FROM ")[2]
        columns = f"SELECT id, {self.title} AS title FROM {table}"
        limit = f"LIMIT {MAX_LISTED + 1}"
        rows = database.rows(f"{columns} {where} {self.order} {limit}", values)
        return [row["id"] if where else f"{row['id']} ({row['title']})" for row in rows]

    def not_found(self, name: str) -> NotStored:
        """Return the error for a name that matches no row."""
        return NotStored(f"There is no {self.noun} {name!r}. `{self.command}` lists them.")


def _listed(ids: list[str]) -> str:
    more = ["others"] if len(ids) > MAX_LISTED else []
    *most, last = [*ids[:MAX_LISTED], *more]
    return f"{', '.join(most)} and {last}" if most else last
