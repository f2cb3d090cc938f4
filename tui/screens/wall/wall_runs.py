"""The runs of a wall, with their titles, without those whose sessions were deleted."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Set
from typing import Protocol

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.sessions.store.tables.annotations import titles_of
from sandbox_tui.sessions.store.tables.runs import ids_kept
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.screens.wall.run_group import RunGroup, RunsFollowed
from sandbox_tui.tui.screens.wall.started_together import StartedTogether
from sandbox_tui.tui.widgets.wall.run_order import Filter, next_filter


class Group(Protocol):
    """Runs chosen for a wall."""

    @property
    def all(self) -> Mapping[str, FoldedRun]:
        """The runs, by session."""
        ...

    def follow(self, screen: Screen[None]) -> None:
        """Keep their state up to date as long as a screen is open."""
        ...


class WallRuns:
    """All runs of this program, or a group.

    Args:
        workers: the runs of this program, and the store.
        group: the runs to show instead.

    Attributes:
        titles: the titles that the user gave the sessions, by session.
        deleted: ids of the runs whose sessions were deleted.
    """

    def __init__(self, workers: RunRegistry, group: Group | None = None) -> None:
        self._workers = workers
        self._group = self._first_group = group
        self._followed = RunsFollowed(workers)
        self.deleted: frozenset[str] = frozenset()
        self.titles: Mapping[str, str] = {}
        with contextlib.suppress(StoreError):  # what records the runs reports it
            self.deleted = self._find_deleted(self._all)

    @property
    def _all(self) -> Mapping[str, FoldedRun]:
        if self._group is None:
            return self._followed.all
        return self._followed.in_place(self._group.all)

    @property
    def shown(self) -> Mapping[str, FoldedRun]:
        """The runs whose sessions exist, or will."""
        return {run_id: run for run_id, run in self._all.items() if run_id not in self.deleted}

    @property
    def hidden(self) -> Set[str]:
        """The other runs of this program, which are not shown although they can be."""
        if not isinstance(self._group, StartedTogether):
            return frozenset()
        return self._workers.all.keys() - self._group.all.keys() - self.deleted

    @property
    def hidden_words(self) -> str:
        """How many runs are hidden, in words; empty if none is."""
        return f"{numbers.counted(len(self.hidden), 'other run')} hidden" if self.hidden else ""

    def has_released(self, run_id: str) -> bool:
        """Return whether a run that was shown is no longer one of the program's, although its
        session exists."""
        return run_id not in (*self.shown, *self.deleted, *self.hidden)

    def next_filter(self, kind: Filter | None) -> Filter | None:
        """Return the filter that follows; before the first one, show the runs that are hidden, and
        after the last one, hide them again."""
        if self.hidden:
            self._group = None
            return kind
        following = next_filter(kind)
        if following is None:
            self._group = self._first_group
        return following

    def follow(self, screen: Screen[None]) -> None:
        """Keep the runs up to date as long as a screen is open."""
        if self._group is not None:
            self._group.follow(screen)
        if not isinstance(self._group, RunGroup):
            self._followed.follow(screen)

    async def read(self) -> None:
        """Read the titles, and which sessions were deleted."""
        runs = dict(self._all)
        with contextlib.suppress(StoreError):
            self.titles = await asyncio.to_thread(titles_of, self._workers.store, list(runs))
            self.deleted = await asyncio.to_thread(self._find_deleted, runs)

    def _find_deleted(self, runs: Mapping[str, FoldedRun]) -> frozenset[str]:
        """Return the runs that were recorded and are no longer; one that could not start never
        was."""
        recorded = [one for one, run in runs.items() if run.ended.is_set() and run.state.seq]
        kept = ids_kept(self._workers.store, recorded) if recorded else set[str]()
        return frozenset(one for one in recorded if one not in kept)
