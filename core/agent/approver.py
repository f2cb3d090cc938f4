"""The protocol that decides whether a call runs, and a null form that approves everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from typing_extensions import override

from sandbox_tui.core.events.types import ToolCall, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision about one call. Its fields are those of `events.CallDecided`."""

    verdict: Verdict
    by: Literal["human", "policy"]
    rule: str | None = None
    arguments: str | None = None
    feedback: str | None = None


class Approver(Protocol):
    """Approves each request and each call; `Gate` implements it with a policy and the user."""

    async def wait_until_resumed(self) -> None:
        """Wait while the run is paused."""
        ...

    async def authorize(self, call: ToolCall, *, held: bool = False) -> Decision:
        """Decide about a call.

        Args:
            call: the next call.
            held: whether it waited for a decision of the user before the run was resumed, and must
                wait again.
        """
        ...

    def authorize_edited(self, call: ToolCall, arguments: str) -> Decision:
        """Decide about a call whose arguments the user changed before it was proposed."""
        ...


class NullApprover(Approver):
    """Approves every call immediately."""

    @override
    async def wait_until_resumed(self) -> None:
        pass

    @override
    async def authorize(self, call: ToolCall, *, held: bool = False) -> Decision:
        return Decision(verdict="approve", by="policy")

    @override
    def authorize_edited(self, call: ToolCall, arguments: str) -> Decision:
        return Decision(verdict="edit", by="human", arguments=arguments)
