"""Messages between the coordinator of an evaluation and its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sandbox_tui.core.evals.sandbox_memory import SandboxMemory
from sandbox_tui.core.events.types import AnyEvent


@dataclass(frozen=True, slots=True)
class NodeSetup:
    """What a node needs before its first sample.

    Attributes:
        version: of the coordinator's program.
        environment: variables that models and scorers read, including keys; kept in memory only.
        code: files of scorers by path; see `scorer_code`.
    """

    version: str
    environment: Mapping[str, str]
    code: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class NodeEvents:
    """Events that a node has recorded for a sample.

    Attributes:
        events: those after the requested position, or the first of them.
        ended: whether these are the last ones.
    """

    events: tuple[AnyEvent, ...]
    ended: bool


@dataclass(frozen=True, slots=True)
class NodeOutcome:
    """The outcome of a sample that has ended.

    Attributes:
        bundle: its session (`interchange.bundle_format`); empty if it is too large for a bundle or
            nothing was recorded.
        problem: why its run could not begin or was not recorded completely; otherwise empty.
        memory: memory used by its sandbox.
    """

    bundle: bytes
    problem: str
    memory: SandboxMemory | None


class NodeHandle(Protocol):
    """A node, as seen by the coordinator.

    Attributes:
        name: shown to the user.
        lost: whether it is permanently unreachable.
    """

    name: str
    lost: bool

    async def call(self, method: str, *args: object) -> Any:
        """Call a method of its `SampleNode` and return the result.

        Raises:
            RunLost: the node is lost.
            SandboxTuiError: the method failed.
        """
        ...

    async def end(self) -> None:
        """End its process."""
        ...
