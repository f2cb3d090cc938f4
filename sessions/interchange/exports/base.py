"""Types that every exporter shares: what it reads and what it produces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sandbox_tui.core.base.errors import RequestRefused
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import RunState, fold
from sandbox_tui.core.events.types import AnyEvent, RunStarted, TerminalOutput
from sandbox_tui.core.terminal.partial_output import partial_outputs
from sandbox_tui.sessions.interchange.fingerprint import fingerprint
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.sessions.relations.fork_origin import ForkOrigin, read_origin
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.annotations import Note, notes_of, tags_of
from sandbox_tui.sessions.store.tables.evals.verdicts import Verdict, verdict_on
from sandbox_tui.sessions.store.tables.source_documents import SourceDocument, source_document_of


class Part(NamedTuple):
    """One file of an export.

    Attributes:
        suffix: end of the file name, `.md` for example.
        data: the content.
    """

    suffix: str
    data: bytes


MAX_VERDICT_CHARS = 300
"""Maximum length of the reason for a score, and of the expected answer."""


class Recording:
    """A session to export, read once. With a `redactor`, its secrets are blanked.

    Attributes:
        summary: the session's summary.
        events: all events; terminal output without its bytes, which most formats do not need and
            which may be most of a session.
        tags, notes: the user's annotations.
        verdict: the score, if the session is a sample of an evaluation.
        origin: where it comes from, if it is a fork of a session that is known.
    """

    def __init__(self, store: Store, run_id: str, redactor: Redactor | None = None) -> None:
        """Read a session.

        Raises:
            NotStored: there is no such session.
            RequestRefused: it is empty.
            StoreError: the database cannot be read.
        """
        self._store = store
        self._redactor = redactor
        self.summary: RunSummary = store.run(run_id)
        stored = list(store.events(self.summary.id, output=False))
        self.events: Sequence[AnyEvent] = redactor.events(stored) if redactor else stored
        if not self.events or not isinstance(self.events[0], RunStarted):
            raise RequestRefused(
                f"The session {self.summary.id} is empty: there is nothing to export."
            )
        self.started: RunStarted = self.events[0]
        self.tags: list[str] = tags_of(store, self.summary.id)
        self.notes: list[Note] = notes_of(store, self.summary.id)
        self.verdict: Verdict | None = verdict_on(store, self.summary.id)
        self.origin: ForkOrigin | None = read_origin(store, self.summary)
        if redactor is not None:
            self.origin = redactor.value(self.origin) if self.origin else None
            self.summary = redactor.value(self.summary)
            self.verdict = Verdict(*redactor.value(self.verdict)) if self.verdict else None
            self.tags, self.notes = redactor.value(self.tags), redactor.value(self.notes)

    @property
    def is_running(self) -> bool:
        """Whether the session still runs."""
        return self.summary.outcome == "running"

    @cached_property
    def events_with_output(self) -> Sequence[AnyEvent]:
        """All events, including the bytes of terminal output.

        Raises:
            StoreError: the database cannot be read.
        """
        stored = self._store.events(self.summary.id, until=self.events[-1].seq)
        written: list[AnyEvent] = [x for x in stored if isinstance(x, TerminalOutput)]
        if self._redactor is not None:
            written = self._redactor.events(written)
        following = iter(written)
        return [next(following) if isinstance(x, TerminalOutput) else x for x in self.events]

    @cached_property
    def state(self) -> RunState:
        """The state at the end of the session."""
        return fold(self.events)

    @property
    def calls(self) -> int:
        """How many calls the model made, as they are listed: also those without a result, which the
        summary does not count."""
        return len(self.state.calls)

    @cached_property
    def partial_outputs(self) -> dict[int, str]:
        """What each started call without an observation has printed, by its number.

        Raises:
            StoreError: the database cannot be read.
        """
        if self.state.running is None:
            return {}  # without reading the output of the whole session
        return partial_outputs(self.events_with_output)

    def original(self, format_: str) -> bytes | None:
        """Return the imported document, if it has this format and still matches the session."""
        kept = source_document_of(self._store, self.summary.id)
        if kept is None or kept.format != format_:
            return None
        if kept.fingerprint != fingerprint(self._store.events(self.summary.id)):
            return None  # events were added since the import
        return self._redactor.data(kept.data) if self._redactor else kept.data

    def kept_original(self) -> SourceDocument | None:
        """Return the document that the session was imported from, in any format."""
        kept = source_document_of(self._store, self.summary.id)
        if kept is None or self._redactor is None:
            return kept
        return SourceDocument(
            format=kept.format,
            name=self._redactor.text(kept.name),
            fingerprint=kept.fingerprint,
            data=self._redactor.data(kept.data),
        )

    def blob(self, digest: str) -> bytes | None:
        """Return a stored file content; None if it was not stored."""
        data = self._store.get_blob(digest)
        if data is None or self._redactor is None:
            return data
        return self._redactor.data(data)


def _as_written(data: bytes) -> Iterable[bytes]:
    """Return what is in a file that is not compressed."""
    return (data,)


@dataclass(frozen=True, slots=True)
class Exporter:
    """An export format.

    Attributes:
        name: its name on the command line.
        about: what it is for, in a few words.
        suffix: end of the name of its first file.
        write: makes the files; raises RequestRefused if the session has nothing to export in this
            format.
        unpack: returns what is in a file that it made, uncompressed.
    """

    name: str
    about: str
    suffix: str
    write: Callable[[Recording], Iterable[Part]]
    unpack: Callable[[bytes], Iterable[bytes]] = _as_written


def score_of(verdict: Verdict) -> str:
    """Return the score of a sample, in words."""
    return "not scored" if verdict.score is None else f"score {verdict.score:.4g}"


def shortened(text: str, max_chars: int) -> str:
    """Return the beginning of a line, cut at a word boundary."""
    text = sanitize_line(text).strip()
    return text if len(text) <= max_chars else f"{text[:max_chars].rsplit(' ', 1)[0]} …"
