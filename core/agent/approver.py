"""What decides whether a call runs: a person at a gate, or nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from typing_extensions import override

from sandbox_tui.core.events.types import ToolCall, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision about one call. Fields as in `events.CallDecided`."""

    verdict: Verdict
    by: Literal["human", "policy"]
    rule: str | None = None
    arguments: str | None = None
    feedback: str | None = None


class Approver(Protocol):
    """Asked before each request and before each call; `Gate` puts a person and a policy there."""

    async def wait_until_resumed(self) -> None:
        """Wait while the run is paused."""
        ...

    async def authorize(self, call: ToolCall, *, held: bool = False) -> Decision:
        """Decide about a call.

        Args:
            call: the next one.
            held: it waited for a person before the run was resumed, and must wait again.
        """
        ...

    def authorize_edited(self, call: ToolCall, arguments: str) -> Decision:
        """Decide about a call whose arguments a person changed before it was proposed."""
        ...


class NullApprover(Approver):
    """Approves every call at once."""

    @override
    async def wait_until_resumed(self) -> None:
        pass

    @override
    async def authorize(self, call: ToolCall, *, held: bool = False) -> Decision:
        return Decision(verdict="approve", by="policy")

    @override
    def authorize_edited(self, call: ToolCall, arguments: str) -> Decision:
        return Decision(verdict="edit", by="human", arguments=arguments)
