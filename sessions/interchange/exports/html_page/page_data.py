"""The data that the page of the HTML export plays: plain lists and objects with sanitized text.

All positions are event numbers (`seq`). `clock` holds the time of each event, `play` its time in
the replay, where pauses are cut to `MAX_PAUSE_SECONDS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.base.tool_names import SUBMIT
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.command_output import observed
from sandbox_tui.core.events.run_state import CallItem, HumanItem, NoteItem, ReplyItem
from sandbox_tui.core.run.task_title import title_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.interchange.exports.base import (
    MAX_VERDICT_CHARS,
    Recording,
    score_of,
    shortened,
)
from sandbox_tui.sessions.interchange.exports.call_arguments import readable
from sandbox_tui.sessions.interchange.exports.html_page.call_result import (
    call_result,
    command_result,
    printed_lines,
)
from sandbox_tui.sessions.interchange.exports.html_page.file_contents import contents_of
from sandbox_tui.sessions.interchange.exports.html_page.session_sign import (
    SessionSign,
    end_sign,
    session_sign,
)
from sandbox_tui.sessions.interchange.exports.html_page.terminal_frames import (
    StyleTable,
    compact_json,
    frames,
)
from sandbox_tui.sessions.interchange.exports.run_story import (
    Entry,
    decision,
    delivery,
    did_run,
    marked,
    story,
)
from sandbox_tui.sessions.store.answers import reported_answer
from sandbox_tui.sessions.store.tables.annotations import Note
from sandbox_tui.sessions.store.tables.evals.verdicts import Verdict

MAX_PAUSE_SECONDS = 2.0
MAX_TEXT_CHARS = 60_000
"""Maximum length of one text; longer ones are cut in the middle, with a note."""


def page_data(recording: Recording) -> Iterator[bytes]:
    """Yield the data of the page, as pieces of one JSON object.

    It is yielded in pieces because the frames of a long output are many times larger as Python
    objects.
    """
    styles = StyleTable()
    films = frames(recording.events_with_output, styles)
    by_name = {sanitize_line(name): film for name, film in films.items()}
    yield b'{"terminals":{'
    for number, (name, film) in enumerate(by_name.items()):
        yield b"%b%b:[" % (b"," if number else b"", compact_json(name))
        for at, frame in enumerate(film):
            yield b",%b" % frame if at else frame
        yield b"]"
    yield b"},"
    yield compact_json(_rest(recording, styles))[1:]


def _rest(recording: Recording, styles: StyleTable) -> dict[str, Any]:
    """Return everything except the terminals."""
    changes = _changes(recording.events)
    return {
        "meta": _meta(recording),
        "clock": _steps([event.t for event in recording.events]),
        "play": _steps(_played(recording.events)),
        "items": _with_card(_items(story(recording), recording.partial_outputs), recording),
        "looks": [list(look) for look in styles.numbers],
        "files": changes,
        "contents": contents_of(recording, changes),
    }


def _meta(recording: Recording) -> dict[str, Any]:
    summary, started = recording.summary, recording.started
    verdict = recording.verdict
    answer, state = reported_answer(summary), session_sign(summary, verdict and verdict.score)
    return {
        "id": summary.id,
        "title": sanitize_line(summary.title or title_line(started.task)),
        "task": _shown(started.task),
        "model": sanitize_line(started.model),
        "sandbox": sanitize_line(started.sandbox),
        "outcome": summary.outcome,
        "state": state.words,
        "sign": state.sign,
        "colour": state.colour,
        "error": sanitize_line(summary.error or ""),
        "score": score_of(verdict) if verdict else "",
        "verdict": _verdict(verdict) if verdict else [],
        "answer": _shown(answer.text),
        "answer_label": f"answer {answer.mark}".rstrip(),
        "no_answer": sanitize_line(answer.why_none),
        "steps": summary.steps,
        "calls": recording.calls,
        "failed": summary.failed_calls,
        "tokens": summary.input_tokens + summary.output_tokens,
        "cost": summary.cost,
        "seconds": round(summary.seconds, 1),
        "began": summary.started_at,
        "root": sanitize_line(started.working_dir),
        "tags": [sanitize_line(tag) for tag in recording.tags],
    }


def _verdict(verdict: Verdict) -> list[str]:
    """Return why a sample has its score, what was expected, and what was attempted."""
    expected = f"expected {verdict.expected}" if verdict.expected else ""
    attempted = f"{verdict.suite} {verdict.task}, {verdict.mode}"
    parts = (sanitize_line(part) for part in (verdict.why, expected, attempted))
    return [shortened(part, MAX_VERDICT_CHARS) for part in parts if part]


def _played(events: Sequence[e.AnyEvent]) -> list[float]:
    """Return the replay time of each event, in seconds."""
    now, last, times = 0.0, 0.0, list[float]()
    for event in events:
        now += min(max(0.0, event.t - last), MAX_PAUSE_SECONDS)
        last = max(last, event.t)
        times.append(now)
    return times


def _steps(times: Sequence[float]) -> list[int]:
    """Return the milliseconds between consecutive times; the first is counted from 0."""
    milliseconds = [round(time * 1000) for time in times]
    return [b - a for a, b in zip([0, *milliseconds], milliseconds, strict=False)]


def _shown(text: str) -> str:
    if len(text) > MAX_TEXT_CHARS:
        half, cut = MAX_TEXT_CHARS // 2, len(text) - MAX_TEXT_CHARS
        text = f"{text[:half]}\n[… {cut} characters …]\n{text[-half:]}"
    return sanitize(text.replace("\r\n", "\n"))


def _items(entries: Iterable[Entry], partial_outputs: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return the items of the call list, in order. `seq` is the event with which an item appears,
    `done` the event that completes it; other positions are named as in `Entry`.

    Args:
        entries: the story.
        partial_outputs: what calls without an observation have printed, by number.
    """
    return [{"seq": entry.seq, **_item(entry, partial_outputs)} for entry in entries]


def _with_card(items: list[dict[str, Any]], recording: Recording) -> list[dict[str, Any]]:
    """Mark the end that gets the card with answer, files and figures; a session that has not
    ended gets one, too."""
    if recording.state.finished is None:
        items.append({"seq": recording.events[-1].seq, **_end(session_sign(recording.summary))})
    last = next((item for item in reversed(items) if item["kind"] == "end"), None)
    if last is not None:
        last["card"] = True
        score = recording.verdict and recording.verdict.score
        if score is not None and recording.state.finished is not None:
            state = session_sign(recording.summary, score)
            last |= {"sign": state.sign, "colour": state.colour}
    return items


def _item(entry: Entry, partial_outputs: Mapping[int, str]) -> dict[str, Any]:
    item = entry.item
    match item:
        case ReplyItem():
            return _reply(entry, item)
        case CallItem():
            return _call(entry, item, partial_outputs)
        case HumanItem():
            return _human(entry, item)
        case NoteItem():
            return {"kind": "note", "text": sanitize(item.text), "sign": "·"}
        case Note():
            on = "note" if item.step else "note on this session"
            return {"kind": "note", "text": sanitize(item.text), "sign": "✎", "on": on}
        case e.RunFinished():
            return _end(end_sign(item))
        case e.SnapshotTaken():
            return {"kind": "snapshot", "text": marked(item)}
        case _:
            return {"kind": "note", "text": sanitize(marked(item)), "sign": "·"}


def _end(sign: SessionSign) -> dict[str, Any]:
    return {
        "kind": "end",
        "text": sanitize(sign.words),
        "sign": sign.sign,
        "colour": sign.colour,
    }


def _reply(entry: Entry, item: ReplyItem) -> dict[str, Any]:
    made: dict[str, Any] = {"kind": "reply", "step": item.step}
    if entry.ended:
        made |= {"text": _shown(item.text), "thought": _shown(item.reasoning), "done": entry.ended}
        made |= {"remark": item.remark, "took": item.replied.latency if item.replied else 0}
    return made


def _call(entry: Entry, item: CallItem, partial_outputs: Mapping[int, str]) -> dict[str, Any]:
    tool, words = item.call.name, readable(item.call.name, item.arguments)
    made: dict[str, Any] = {
        "kind": "call",
        "number": item.call.number,
        "step": item.call.step,
        "name": sanitize_line(short_name(tool)),
        "head": sanitize_line(summarize_call(tool, item.arguments))[:300],
        "label": sanitize_line(words.label),
        "args": _shown(words.text),
        "language": words.language,
        "held": entry.held,
        "started": entry.began,
    }
    if decided := decision(item):
        made |= {"decision": decided, "decided": entry.decided}
        if item.decided is not None and item.decided.feedback and item.decided.verdict != "answer":
            made["feedback"] = sanitize(item.decided.feedback)
    if item.arguments != item.call.arguments:
        wrote = readable(item.call.name, item.call.arguments)
        made |= {"proposed": _shown(wrote.text), "proposed_language": wrote.language}
    if item.finished is not None:
        out = observed("" if tool == SUBMIT else item.finished.observation)
        made |= {"out": _shown(out.out), "err": _shown(out.err), "done": entry.ended}
        made |= {"ok": item.finished.ok if did_run(item) else None}
        made["interrupted"] = item.finished.interrupted
        made |= {"took": _took(item.finished.duration), "code": item.finished.exit_code}
        made["result"] = call_result(item, out)
    elif printed := partial_outputs.get(item.call.number):
        made |= {"printed": _shown(printed), "printed_lines": printed_lines(printed)}
    return made


def _human(entry: Entry, item: HumanItem) -> dict[str, Any]:
    made: dict[str, Any] = {
        "fate": delivery(item),
        "told": entry.delivered,
        "withdrawn": entry.withdrawn,
        "started": entry.began,
    }
    if item.file is not None:
        file = item.file
        made |= {"kind": "file", "action": file.action, "path": sanitize_line(file.path)}
        made |= {"host": sanitize_line(file.host or ""), "args": _shown(file.diff)}
        return {
            **made,
            "out": "\n".join(map(sanitize, file.left_behind)),
            "err": "",
            "done": entry.seq,
        }
    if item.command is None:
        return {**made, "kind": "said", "text": _shown(item.text), "done": entry.seq}
    made |= {"kind": "ran", "args": _shown(item.command)}
    made["visibility"] = "visible to model" if item.told_to_model else "private"
    if item.finished is not None:
        out = observed(item.finished.observation)
        made |= {"out": _shown(out.out), "err": _shown(out.err), "done": entry.ended}
        made |= {"code": item.finished.exit_code, "took": _took(item.finished.duration)}
        made["result"] = command_result(out, good=item.finished.exit_code == 0)
    return made


def _took(seconds: float) -> str:
    """Return a duration as the terminal shows it, which is rounded in Python, too."""
    return short_duration(seconds) if seconds else ""


def _changes(events: Sequence[e.AnyEvent]) -> list[list[Any]]:
    """Return seq, path, change, kind, size (None: not known) and digest of every file change."""
    changes: list[list[Any]] = []
    for event in events:
        if isinstance(event, e.FilesListed):
            found, before = event.files, True
        elif isinstance(event, e.FilesChanged):
            found, before = event.changes, False
        else:
            continue
        for f in found:
            what = "" if before else f.change
            size = f.size if f.has_size else None
            changes.append([event.seq, sanitize_line(f.path), what, f.kind, size, f.blob])
    return changes


__all__ = ["page_data"]
