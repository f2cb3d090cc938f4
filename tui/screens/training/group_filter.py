"""Which groups of rollouts are shown."""

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
    """One kind of groups."""

    kind: int = 0

    @property
    def words(self) -> str:
        """Which; empty: all."""
        return _KINDS[self.kind][0]

    def fits(self, group: RolloutGroup) -> bool:
        """Whether a group is of that kind."""
        return _KINDS[self.kind][1](group)

    def next(self) -> GroupFilter:
        """The next kind; all groups after the last."""
        return GroupFilter((self.kind + 1) % len(_KINDS))
