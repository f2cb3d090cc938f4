"""Finds the one row that a person names by its id, or by a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.base.errors import NotStored
from sandbox_tui.sessions.store.database import Database
from sandbox_tui.sessions.store.tables.runs import MIN_PREFIX


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRows:
    """Rows that people name.

    Attributes:
        query: SQL up to its WHERE; the rows have an `id`.
        order: SQL of their order.
        article, noun: what one is, as in `a` and `training run`.
        command: lists them.
        nothing: the sentence where there are none yet.
    """

    query: str
    order: str
    article: str
    noun: str
    command: str
    nothing: str

    def find(self, database: Database, name: str, *, surely: bool) -> dict[str, Any]:
        """The row with this id, or whose id begins or ends so; `last`: the first in their order.

        Args:
            database: where it is.
            name: the id, or a part of it.
            surely: for what cannot be undone: the id, or at least `MIN_PREFIX` characters it begins
                with.

        Raises:
            NotStored: there is none, or more than one.
        """
        if name == "last":
            newest = database.rows(f"{self.query} {self.order} LIMIT 1")
            if not newest:
                raise NotStored(self.nothing)
            return newest[0]
        if surely and len(name) < MIN_PREFIX:
            raise NotStored(
                f"{name!r} is too short for {self.article} {self.noun} id. Type more of it."
            )
        fits = "substr(id, 1, length(?1)) = ?1"
        if not surely:
            fits += " OR substr(id, -length(?1)) = ?1"
        found = database.rows(f"{self.query} WHERE {fits} {self.order}", [name])
        if len(found) > 1:
            raise NotStored(f"{name!r} matches {len(found)} {self.noun}s. Type more of the id.")
        if not found:
            raise self.not_found(name)
        return found[0]

    def not_found(self, name: str) -> NotStored:
        """The error for one that is not there."""
        return NotStored(f"There is no {self.noun} {name!r}. `{self.command}` lists them.")
