"""A fork that sets out: what its run begins with, and how its sandbox is brought to that moment."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import events as e
from .agent import Standing
from .fork import Base, Deed, Parting, Repeat
from .gate import Waiting
from .past import Past
from .repeating import Bench, carry_out, lay_out, put_right
from .state import MIRROR, RunState, fold

LEFT_RUNNING = "It was running when this run was forked, and is not carried out here."


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """What a run begins with that goes on from another's middle.

    Attributes:
        parting: the moment.
        base: the snapshot its sandbox begins from; None: from the recorded input.
        past: what the parent had come to by then.
        message: a person's words for the model; may be empty.
        edited: new arguments (JSON text) for the call that comes next; None: as the model wrote it.
    """

    parting: Parting
    base: Base | None
    past: Past
    message: str = ""
    edited: str | None = None

    @property
    def deeds(self) -> list[Deed]:
        """What has to be done again."""
        return self.parting.deeds_since(self.base)

    @property
    def standing(self) -> Standing:
        """Where the agent stands: work that was handed in is taken up again."""
        return dataclasses.replace(self.past.standing, submitted=False, cost=0.0)

    @property
    def remark(self) -> str:
        """The line in the mirror that parts the parent's from the fork's."""
        return f"forked here from {self.parting.parent}"

    @property
    def outbox(self) -> list[Waiting]:
        """What waits for the model; commands that were running are not told of."""
        running = {item.id for item in self.past.lost_commands}
        return [waiting for waiting in self.past.outbox if waiting.id not in running]

    def opening(self, sandbox_info: dict[str, str], model: str) -> Iterator[e.AnyEvent]:
        """The fork's first events: where it comes from, and what it leaves behind."""
        parting, state = self.parting, self.past.state
        yield e.Forked(
            parent=parting.parent,
            parent_seq=parting.seq,
            step=parting.step,
            snapshot=None if self.base is None else self.base.name,
            repeats=sum(isinstance(deed, Repeat) for deed in self.deeds),
            model=model,
            sandbox_info=dict(sandbox_info),
        )
        if not parting.exact:
            yield e.Warned(
                text="The conversation could not be rebuilt word for word: the model may go on "
                "from something slightly else than it had been sent."
            )
        if state.frozen:
            yield e.SandboxThawed(by="program")
        if MIRROR not in state.terminals:
            yield e.TerminalOpened(terminal=MIRROR, cols=100, rows=30)
        for terminal in list(state.terminals):
            if terminal != MIRROR:
                yield e.TerminalClosed(terminal=terminal)
        for item in self.past.lost_commands:
            yield e.HumanCommandFinished(
                id=item.id, observation=LEFT_RUNNING, exit_code=None, duration=0.0
            )
            yield e.Withdrawn(id=item.id)
        for item in self.past.commands:
            yield e.Withdrawn(id=item.id)
        yield from parting.late

    async def bring_about(self, bench: Bench, root: str) -> None:
        """Bring the sandbox to the moment: what its base lacks is done again.

        Args:
            bench: what that needs.
            root: the directory that is watched.
        """
        if self.base is None:
            await lay_out(_first_files(self.parting.history), bench)
        deeds = self.deeds
        await carry_out(deeds, bench)
        if deeds or self.base is None:
            await put_right(self._expected().files, bench, root)

    def _expected(self) -> RunState:
        return fold([*self.parting.history, *self.parting.late])


def _first_files(history: Sequence[e.AnyEvent]) -> Sequence[e.FileChange]:
    listed = (event.files for event in history if isinstance(event, e.FilesListed))
    return next(listed, ())
