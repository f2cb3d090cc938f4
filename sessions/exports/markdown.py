"""A session as Markdown, to be read and to be pasted into a discussion.

The model's prose stays Markdown; what could be HTML or a link of its own in it is made harmless.
All else stands in fences longer than any that the text itself holds.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable

from ...core.headline import headline, nickname
from ...core.state import CallItem, HumanItem, NoteItem, ReplyItem
from ...core.text import clean, clean_line
from .base import Exporter, Part, Recording
from .trajectory import parameters

LONGEST = 20_000
"""Characters of one block; more is cut in the middle, and said so."""

_FENCES = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_BACKTICKS = re.compile(r"`+")


def write(recording: Recording) -> Iterable[Part]:
    """See `Exporter`."""
    text = "\n\n".join(block for block in _blocks(recording) if block) + "\n"
    return [Part(".md", text.encode("utf-8", "replace"))]


def _blocks(recording: Recording) -> Iterable[str]:
    summary, started = recording.summary, recording.started
    title = summary.title or started.task.strip().split("\n", 1)[0]
    yield f"# {_inline(title)[:200]}"
    yield _table(recording)
    yield "## Task"
    yield fence(started.task)
    step = 0
    for item in recording.state.items:
        if isinstance(item, ReplyItem):
            if item.step != step:
                step = item.step
                yield f"## Step {step}"
                yield from _notes(recording, step)
            yield from _reply(item)
        elif isinstance(item, CallItem):
            yield from _call(item)
        elif isinstance(item, HumanItem):
            yield from _human(item)
        else:
            yield from _note(item)
    if summary.answer:
        yield "## Answer"
        yield fence(summary.answer)


def _table(recording: Recording) -> str:
    summary = recording.summary
    began = datetime.datetime.fromtimestamp(summary.started_at, tz=datetime.UTC)
    rows = [
        ("session", summary.id),
        ("began", f"{began:%Y-%m-%d %H:%M} UTC"),
        ("model", recording.started.model),
        ("sandbox", recording.started.sandbox),
        ("outcome", summary.outcome),
        ("steps", str(summary.steps)),
        ("calls", f"{summary.calls}, {summary.failed_calls} failed"),
        ("tokens", f"{summary.input_tokens} in, {summary.output_tokens} out"),
        ("cost", "unknown" if summary.cost is None else f"${summary.cost:.4f}"),
        ("time", f"{summary.seconds:.0f} s"),
        ("tags", ", ".join(recording.tags) or "none"),
    ]
    body = "\n".join(f"| {name} | {_inline(value)} |" for name, value in rows)
    return f"| | |\n|---|---|\n{body}"


def _notes(recording: Recording, step: int) -> Iterable[str]:
    for note in recording.notes:
        if note.step == step:
            yield _quote(f"**note:** {_prose(note.text)}")


def _reply(item: ReplyItem) -> Iterable[str]:
    if item.reasoning.strip():
        yield f"<details><summary>reasoning</summary>\n\n{fence(item.reasoning)}\n\n</details>"
    if item.text.strip():
        yield _prose(item.text)
    for failure in item.failures:
        yield _quote(f"**request failed:** {_prose(failure.error)}")


def _call(item: CallItem) -> Iterable[str]:
    name = nickname(item.call.name)
    words = clean_line(headline(item.call.name, item.arguments))
    yield f"**{_inline(name)}** {_code(words[:160])}".rstrip()
    yield _arguments(item)
    decided = item.decided
    if decided is not None and decided.by == "human":
        said = f": {decided.feedback}" if decided.feedback else ""
        yield _quote(f"**a person decided:** {decided.verdict}{_prose(said)}")
    if item.finished is not None:
        ended = item.finished
        sign = "✓" if ended.ok else "✗"
        code = "" if ended.exit_code is None else f" · exit {ended.exit_code}"
        yield f"{sign} {ended.duration:.1f} s{code}"
        yield fence(ended.observation)


def _arguments(item: CallItem) -> str:
    """The arguments as a reader wants them: the command as bash, all else as JSON."""
    parsed = parameters(item.arguments)
    if not parsed:
        return ""
    if item.call.name == "execute_bash" and set(parsed) == {"command"}:
        return fence(str(parsed["command"]), "bash")
    return fence(json.dumps(parsed, indent=2, ensure_ascii=False), "json")


def _human(item: HumanItem) -> Iterable[str]:
    if item.command is None:
        yield _quote(f"**a person said:** {_prose(item.text)}")
        return
    yield _quote("**a person ran:**")
    yield fence(item.command, "bash")
    if item.finished is not None:
        yield fence(item.finished.observation)


def _note(item: NoteItem) -> Iterable[str]:
    yield _quote(f"**{item.level}:** {_prose(item.text)}")


# --- text made harmless


def fence(text: str, language: str = "") -> str:
    """A code block that the text cannot end."""
    text = clean(_cut(text.replace("\r\n", "\n"))).rstrip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text}\n{marks}"


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n[… {len(text) - LONGEST} characters …]\n{text[-half:]}"


def _code(text: str) -> str:
    """Text as code within a line."""
    if not text:
        return ""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    marks = "`" * (longest + 1)
    return f"{marks} {text} {marks}" if longest else f"`{text}`"


def _prose(text: str) -> str:
    """The model's own Markdown, without HTML, links, pictures and headings."""
    if len(_FENCES.findall(text)) % 2:
        return fence(text)  # a block that it never ends would swallow all that follows
    text = clean(_cut(text)).replace("&", "&amp;").replace("<", "&lt;")
    text = text.replace("](", "]\\(").replace("]:", "]\\:").replace("][", "]\\[")
    return re.sub(r"^( {0,3})(#{1,6}\s|=+\s*$|-+\s*$)", r"\1\\\2", text, flags=re.MULTILINE)


def _inline(text: str) -> str:
    """Plain text within a line."""
    text = re.sub(r"([\\`*_{}\[\]()>#+!|~])", r"\\\1", clean_line(text)).strip()
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


EXPORTER = Exporter("markdown", "Markdown to read", write)
