"""Exports a session as a Markdown report, to read or to paste into a discussion.

It starts with what readers ask first: the outcome, the task, the answer, and tables of files and
calls. All steps follow in detail.

The model's prose stays Markdown, without HTML and links. Everything else goes into fences that are
longer than any fence in the text itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.core.base.tool_names import BASH, SUBMIT
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.command_output import observed
from sandbox_tui.core.events.run_state import CallItem, HumanItem, NoteItem, ReplyItem
from sandbox_tui.core.run.task_title import title_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording, shortened
from sandbox_tui.sessions.interchange.exports.call_arguments import readable
from sandbox_tui.sessions.interchange.exports.markdown_sanitizer import (
    code_line,
    fence,
    inline,
    prose,
    quote,
)
from sandbox_tui.sessions.interchange.exports.markdown_summary import (
    changed_files,
    end_words,
    outcome_sentences,
    table_of_calls,
)
from sandbox_tui.sessions.interchange.exports.run_story import (
    Entry,
    decision,
    delivery,
    did_run,
    marked,
    story,
    unfinished,
)
from sandbox_tui.sessions.store.answers import reported_answer
from sandbox_tui.sessions.store.tables.annotations import Note

MAX_TITLE_CHARS = 100
MAX_OPEN_LINES = 40
"""Outputs of up to this many lines are not folded."""


def write(recording: Recording) -> Iterable[Part]:
    """Write the run as a document to read."""
    text = "\n\n".join(block for block in _blocks(recording) if block) + "\n"
    return [Part(".md", text.encode("utf-8", "replace"))]


def _blocks(recording: Recording) -> Iterable[str]:
    summary, started = recording.summary, recording.started
    entries = story(recording)
    title = summary.title or title_line(started.task)
    yield f"# {inline(shortened(title, MAX_TITLE_CHARS))}"
    yield from outcome_sentences(recording)
    yield "## Task"
    yield quote(prose(started.task))
    answer = reported_answer(summary)
    yield f"## Answer {answer.mark}".rstrip()
    yield f"*{inline(answer.why_none)}*" if answer.why_none else prose(answer.text)
    yield from changed_files(recording)
    yield from table_of_calls(entries, is_running=recording.is_running)
    yield "## What happened"
    step = 0
    for entry in entries:
        if isinstance(entry.item, ReplyItem) and entry.item.step != step:
            step = entry.item.step
            yield f"### Step {step}"
        yield from _entry(entry, recording)


def _entry(entry: Entry, recording: Recording) -> Iterable[str]:
    item = entry.item
    match item:
        case ReplyItem():
            yield from _reply(item)
        case CallItem():
            yield from _call(item, recording)
        case HumanItem():
            yield from _human(item)
        case NoteItem(level="yours"):
            yield quote(f"· {_words(item.text)}")
        case NoteItem():
            yield quote(f"**{item.level}:** {_words(item.text)}")
        case Note():
            yield _quoted("note" if item.step else "note on this session", item.text)
        case e.SnapshotTaken():
            pass  # only meaningful inside the program
        case e.RunFinished(reason="submitted", error=None | ""):
            pass  # the first paragraph says it
        case _:
            yield quote(f"· {_words(marked(item))}")


def _reply(item: ReplyItem) -> Iterable[str]:
    if item.reasoning.strip() and item.reasoning.strip() != item.text.strip():
        yield f"<details><summary>reasoning</summary>\n\n{fence(item.reasoning)}\n\n</details>"
    if item.text.strip():
        yield prose(item.text)
    if item.remark:
        yield quote(inline(item.remark))


def _call(item: CallItem, recording: Recording) -> Iterable[str]:
    blocks = list(_arguments(item.call.name, item.arguments))
    # a command has its own block below, so the title omits it
    words = "" if item.call.name == BASH else summarize_call(item.call.name, item.arguments)
    title = f"**{item.call.number} {inline(short_name(item.call.name))}**"
    yield f"{title} {code_line(words[:160])}".rstrip()
    if words := decision(item):
        decided = item.decided
        feedback = decided.feedback if decided and decided.verdict != "answer" else None
        yield _quoted(words, feedback or "")
    if item.arguments != item.call.arguments:
        yield "the model wrote:"
        yield from _arguments(item.call.name, item.call.arguments)
        yield "and you changed it to:"
    yield from blocks
    ended = item.finished
    if ended is None:
        yield unfinished(item, is_running=recording.is_running)
        if printed := recording.partial_outputs.get(item.call.number):
            yield "its output so far, as the terminal showed it:"
            yield _output(printed, "output so far")
        return
    if did_run(item):
        code = "" if ended.exit_code is None else f" · exit {ended.exit_code}"
        yield f"{end_words(ended)}{code}"
    if item.call.name != SUBMIT:
        yield from _printed(ended.observation)


def _arguments(tool: str, arguments: str) -> Iterable[str]:
    """Yield the arguments in readable form: a command as bash, an edit as a diff."""
    words = readable(tool, arguments)
    if words.label:
        yield inline(words.label)
    if words.text:
        yield fence(words.text, words.language)


def _printed(observation: str) -> Iterable[str]:
    out = observed(observation)
    if out.out:
        yield _output(out.out, "output")
    if out.err:
        yield "stderr:"
        yield _output(out.err, "stderr")


def _output(text: str, name: str) -> str:
    """Format output as a block; fold long output where Markdown supports it."""
    lines = text.rstrip("\n").count("\n") + 1
    if lines <= MAX_OPEN_LINES:
        return fence(text)
    return f"<details><summary>{name}, {lines:,} lines</summary>\n\n{fence(text)}\n\n</details>"


_FILE_WORDS = {"pull": "you copied out", "push": "you copied in", "edit": "you edited"}


def _human(item: HumanItem) -> Iterable[str]:
    words = delivery(item)
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
        yield _quoted("you said" if item.delivered else "you wrote", item.text, words)
        return
    yield quote(f"**{'you ran' if item.started else 'you wanted to run'}** · {words}")
    yield fence(item.command, "bash")
    if item.finished is not None:
        yield from _printed(item.finished.observation)


def _quoted(label: str, text: str, words: str = "") -> str:
    """Return the user's text as a quotation below a heading line."""
    head = f"**{label}**" + (f" · {words}" if words else "")
    return quote(f"{head}\n\n{prose(text)}" if text.strip() else head)


def _words(text: str) -> str:
    """Escape sentences of this program, which may quote untrusted text."""
    return inline(" ".join(text.split()))


EXPORTER = Exporter("markdown", "a report in Markdown", ".md", write)
