"""A session as Markdown, to be read and to be pasted into a discussion.

The model's prose stays Markdown, without its HTML and links. Everything else goes into fences
longer than any fence in the text itself.
"""

from __future__ import annotations

import datetime
import difflib
import json
import posixpath
from collections.abc import Iterable

from sandbox_tui.core.events.command_output import observed
from sandbox_tui.core.events.run_state import CallItem, HumanItem, NoteItem, ReplyItem
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording
from sandbox_tui.sessions.interchange.exports.markdown_sanitizer import fence, inline, prose, quote
from sandbox_tui.sessions.interchange.exports.run_story import (
    Entry,
    decision,
    did_run,
    fate,
    marked,
    story,
)
from sandbox_tui.sessions.interchange.exports.trajectory import parameters
from sandbox_tui.sessions.store.tables.annotations import Note


def write(recording: Recording) -> Iterable[Part]:
    """Write the run as a document to read."""
    text = "\n\n".join(block for block in _blocks(recording) if block) + "\n"
    return [Part(".md", text.encode("utf-8", "replace"))]


def _blocks(recording: Recording) -> Iterable[str]:
    summary, started = recording.summary, recording.started
    title = summary.title or started.task.strip().split("\n", 1)[0]
    yield f"# {inline(title)[:200]}"
    yield _table(recording)
    yield "## Task"
    yield fence(started.task)
    step = 0
    for entry in story(recording):
        if isinstance(entry.matter, ReplyItem) and entry.matter.step != step:
            step = entry.matter.step
            yield f"## Step {step}"
        yield from _entry(entry)
    if summary.answer:
        yield "## Answer"
        yield fence(summary.answer)


def _entry(entry: Entry) -> Iterable[str]:
    matter = entry.matter
    match matter:
        case ReplyItem():
            yield from _reply(matter)
        case CallItem():
            yield from _call(matter)
        case HumanItem():
            yield from _human(matter)
        case NoteItem():
            yield quote(f"**{matter.level}:** {_words(matter.text)}")
        case Note():
            yield _said("note", matter.text)
        case _:
            yield quote(f"· {_words(marked(matter))}")


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
        ("tokens", summary.tokens),
        ("cost", "unknown" if summary.cost is None else f"${summary.cost:.4f}"),
        ("time", f"{summary.seconds:.0f} s"),
        ("tags", ", ".join(recording.tags) or "none"),
    ]
    body = "\n".join(f"| {name} | {inline(value)} |" for name, value in rows)
    return f"| | |\n|---|---|\n{body}"


def _reply(item: ReplyItem) -> Iterable[str]:
    if item.reasoning.strip() and item.reasoning.strip() != item.text.strip():
        yield f"<details><summary>reasoning</summary>\n\n{fence(item.reasoning)}\n\n</details>"
    if item.text.strip():
        yield prose(item.text)
    if item.remark:
        yield quote(inline(item.remark))


def _call(item: CallItem) -> Iterable[str]:
    blocks = list(_arguments(item.call.name, item.arguments))
    # the title omits what has a block of its own
    words = (
        "" if item.call.name == "execute_bash" else summarize_call(item.call.name, item.arguments)
    )
    title = f"**{item.call.number} {inline(short_name(item.call.name))}**"
    yield f"{title} {inline(words[:160])}".rstrip()
    if words := decision(item):
        decided = item.decided
        feedback = decided.feedback if decided and decided.verdict != "answer" else None
        yield _said(words, feedback or "")
    if item.arguments != item.call.arguments:
        yield "the model wrote:"
        yield from _arguments(item.call.name, item.call.arguments)
        yield "and you made of it:"
    yield from blocks
    ended = item.finished
    if ended is None:
        return
    if did_run(item):
        code = "" if ended.exit_code is None else f" · exit {ended.exit_code}"
        yield f"{'✓' if ended.ok else '✗'} {ended.duration:.1f} s{code}"
    yield from _printed(ended.observation)


def _arguments(tool: str, arguments: str) -> Iterable[str]:
    """The arguments in readable form: a command as bash, an edit as a diff."""
    fields = parameters(arguments)
    if tool == "execute_bash" and set(fields) == {"command"}:
        yield fence(str(fields["command"]), "bash")
        return
    command, path = fields.get("command"), fields.get("path")
    if tool != "str_replace_editor" or not isinstance(path, str):
        if fields:
            yield fence(json.dumps(fields, indent=2, ensure_ascii=False), "json")
        return
    match command:
        case "create":
            yield fence(str(fields.get("file_text", "")), _language(path))
        case "str_replace":
            old, new = str(fields.get("old_str", "")), str(fields.get("new_str") or "")
            lines = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=3)
            yield fence("\n".join(list(lines)[3:]) or "(nothing changes)", "diff")
        case "insert":
            yield f"after line {inline(str(fields.get('insert_line')))}:"
            yield fence(str(fields.get("new_str") or ""), _language(path))
        case _:
            pass  # the title already says it


def _language(path: str) -> str:
    """The language name of a fence: the file's suffix, if that is a word."""
    suffix = posixpath.splitext(path)[1].removeprefix(".").lower()
    return suffix if suffix.isascii() and suffix.isalnum() and len(suffix) < 10 else ""


def _printed(observation: str) -> Iterable[str]:
    out = observed(observation)
    if out.out or not out.err:
        yield fence(out.out) if out.out else ""
    if out.err:
        yield "stderr:"
        yield fence(out.err)


_FILE_WORDS = {"pull": "you copied out", "push": "you put in", "edit": "you edited"}


def _human(item: HumanItem) -> Iterable[str]:
    words = fate(item)
    if item.file is not None:
        file = item.file
        host = (
            f" {'to' if file.action == 'pull' else 'from'} {inline(file.host)}" if file.host else ""
        )
        yield quote(f"**{_FILE_WORDS[file.action]}** {inline(file.path)}{host} · {words}")
        for sentence in file.left_behind:
            yield quote(inline(sentence))
        if file.diff:
            yield fence(file.diff, "diff")
        return
    if item.command is None:
        yield _said("you said" if item.delivered else "you wrote", item.text, words)
        return
    yield quote(f"**{'you ran' if item.started else 'you wanted to run'}** · {words}")
    yield fence(item.command, "bash")
    if item.finished is not None:
        yield from _printed(item.finished.observation)


def _said(label: str, text: str, words: str = "") -> str:
    """A person's words as a quotation, below a heading line."""
    head = f"**{label}**" + (f" · {words}" if words else "")
    return quote(f"{head}\n\n{prose(text)}" if text.strip() else head)


def _words(text: str) -> str:
    """Our own sentences, which may quote untrusted text."""
    return inline(" ".join(text.split()))


EXPORTER = Exporter("markdown", "Markdown to read", write)
