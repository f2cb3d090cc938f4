"""Finds the row that the user names by an id or by a part of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.base.errors import NotStored
from sandbox_tui.sessions.store.database import Database
from sandbox_tui.sessions.store.tables.runs import MIN_PREFIX


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRows:
    """A kind of rows that users name by id.

    Attributes:
        query: SQL up to its WHERE; the rows have an `id`.
        order: SQL of their order.
        article, noun: the kind in words, such as `a` and `training run`.
        command: the command that lists them.
        nothing: error message if there are none yet.
    """

    query: str
    order: str
    article: str
    noun: str
    command: str
    nothing: str

    def find(self, database: Database, name: str, *, strict: bool) -> dict[str, Any]:
        """Return the row whose id is, starts or ends with `name`; `last` is the first in `order`.

        Args:
            database: the database to search.
            name: the id, or a part of it.
            strict: for irreversible actions: accept only the id, or at least `MIN_PREFIX`
                characters that it starts with.

        Raises:
            NotStored: no row matches, or more than one.
        """
        if name == "last":
            newest = database.rows(f"{self.query} {self.order} LIMIT 1")
            if not newest:
                raise NotStored(self.nothing)
            return newest[0]
        if strict and len(name) < MIN_PREFIX:
            raise NotStored(
                f"{name!r} is too short for {self.article} {self.noun} id. Type more of it."
            )
        fits = "substr(id, 1, length(?1)) = ?1"
        if not strict:
            fits += " OR substr(id, -length(?1)) = ?1"
        found = database.rows(f"{self.query} WHERE {fits} {self.order}", [name])
        if len(found) > 1:
            raise NotStored(f"{name!r} matches {len(found)} {self.noun}s. Type more of the id.")
        if not found:
            raise self.not_found(name)
        return found[0]

    def not_found(self, name: str) -> NotStored:
        """Return the error for a name that matches no row."""
        return NotStored(f"There is no {self.noun} {name!r}. `{self.command}` lists them.")
