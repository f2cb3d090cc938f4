"""All details of a session as a text, for what the pane below the list has no room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandbox_tui.sessions.relations.session_detail import SessionDetail
from sandbox_tui.tui.format.answers import said_words
from sandbox_tui.tui.format.outcome import outcome_words


def whole_details(detail: SessionDetail, lines: Sequence[str]) -> str:
    """Return the texts of a session in full, then the lines that the pane has for the rest."""
    texts = list(_texts(detail))
    labels = {label for label, _ in texts}
    parts = [f"{label}\n{_indented(words)}" for label, words in texts]
    rest = [line for line in _labelled(lines) if line.split("  ", 1)[0] not in labels]
    return "\n\n".join([*parts, "\n".join(rest)])


def _texts(detail: SessionDetail) -> Iterator[tuple[str, str]]:
    run = detail.run
    yield "task", run.task
    if run.answer:
        yield "answer", run.answer
    elif run.said:
        yield "answer", said_words(run.said, run.answer)
    if run.error:
        yield outcome_words(run), run.error
    for note in detail.notes:
        yield f"note {note.step}" if note.step else "note", note.text


def _indented(words: str) -> str:
    return "\n".join(f"  {line}" for line in words.strip().split("\n"))


def _labelled(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines; those without a label follow the one before, so that both go together."""
    whole = ""
    for line in lines:
        if whole and line.startswith(" "):
            whole += f"\n{line}"
            continue
        if whole:
            yield whole
        whole = line
    if whole:
        yield whole
