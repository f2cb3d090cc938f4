"""The filter of the groups of rollouts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sandbox_tui.sessions.rl.groups import RolloutGroup

_KINDS: tuple[tuple[str, Callable[[RolloutGroup], bool]], ...] = (
    ("", lambda _: True),
    ("that differ in reward", lambda group: group.differs),
    ("with truncated rollouts", lambda group: any(one.truncated for one in group.rollouts)),
    ("held out", lambda group: group.split == "held_out"),
)


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """A filter for one kind of groups."""

    kind: int = 0

    @property
    def words(self) -> str:
        """A description of the filter; empty for all groups."""
        return _KINDS[self.kind][0]

    def fits(self, group: RolloutGroup) -> bool:
        """Return whether a group passes the filter."""
        return _KINDS[self.kind][1](group)

    def next(self) -> GroupFilter:
        """Return the next filter; all groups after the last one."""
        return GroupFilter((self.kind + 1) % len(_KINDS))
