"""A session as the page of the HTML export plays it: plain lists and objects, text made showable.

All moments are numbers of events (`seq`). `clock` says when each was, `play` when it is played:
pauses are cut to `LONGEST_PAUSE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core import events as e
from ...core.headline import headline, nickname
from ...core.text import clean, clean_line
from .base import Recording
from .frames import Looks, frames
from .trajectory import parameters

LONGEST_PAUSE = 2.0
LONGEST_TEXT = 60_000
"""Characters of one text; more is cut in the middle, and said so."""

LARGEST_FILE = 200_000
MOST_FILE_BYTES = 30 << 20
"""Of all files together."""


def film(recording: Recording) -> dict[str, Any]:
    """All that the page needs."""
    looks = Looks()
    films = frames(recording.events, looks)
    changes = _changes(recording.events)
    return {
        "meta": _meta(recording),
        "clock": _steps([event.t for event in recording.events]),
        "play": _steps(_played(recording.events)),
        "items": _Items(recording).items,
        "terminals": {clean_line(name): film for name, film in films.items()},
        "looks": [list(look) for look in looks.numbers],
        "files": changes,
        "contents": _contents(recording, changes),
    }


def _meta(recording: Recording) -> dict[str, Any]:
    summary, started = recording.summary, recording.started
    return {
        "id": summary.id,
        "title": clean_line(summary.title or started.task.strip().split("\n", 1)[0]),
        "task": _shown(started.task),
        "model": clean_line(started.model),
        "sandbox": clean_line(started.sandbox),
        "outcome": summary.outcome,
        "error": clean_line(summary.error or ""),
        "answer": _shown(summary.answer or ""),
        "steps": summary.steps,
        "calls": summary.calls,
        "failed": summary.failed_calls,
        "tokens": summary.input_tokens + summary.output_tokens,
        "cost": summary.cost,
        "began": summary.started_at,
        "root": clean_line(started.working_dir),
        "tags": [clean_line(tag) for tag in recording.tags],
    }


def _played(events: Sequence[e.AnyEvent]) -> list[float]:
    """When each event is played."""
    now, last, times = 0.0, 0.0, list[float]()
    for event in events:
        now += min(max(0.0, event.t - last), LONGEST_PAUSE)
        last = max(last, event.t)
        times.append(now)
    return times


def _steps(times: Sequence[float]) -> list[int]:
    """Times as milliseconds since the one before."""
    whole = [round(time * 1000) for time in times]
    return [b - a for a, b in zip([0, *whole], whole, strict=False)]


def _shown(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        half, cut = LONGEST_TEXT // 2, len(text) - LONGEST_TEXT
        text = f"{text[:half]}\n[… {cut} characters …]\n{text[-half:]}"
    return clean(text.replace("\r\n", "\n"))


class _Items:
    """The list of calls, in order; `seq` says when an item appears, `done` when it is complete."""

    def __init__(self, recording: Recording) -> None:
        self.items: list[dict[str, Any]] = []
        self._replies: dict[int, dict[str, Any]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._humans: dict[int, dict[str, Any]] = {}
        self._notes = {note.step: note for note in reversed(recording.notes)}
        for event in recording.events:
            self._add(event)

    def _add(self, event: e.AnyEvent) -> None:
        match event:
            case e.ModelAsked(step=step):
                if step not in self._replies:
                    self._replies[step] = self._item(event, "reply", step=step)
                    if step in self._notes:
                        self._item(event, "note", text=clean(self._notes[step].text), by="a person")
            case e.ModelReplied(step=step):
                reply = self._replies.get(step) or self._item(event, "reply", step=step)
                reply |= {"text": _shown(event.text), "thought": _shown(event.reasoning)}
                reply |= {"done": event.seq, "took": event.latency}
            case e.CallProposed() | e.CallDecided() | e.CallStarted() | e.CallFinished():
                self._call(event)
            case e.HumanMessage(id=id_, text=text):
                self._humans[id_] = self._item(event, "said", text=_shown(text), done=event.seq)
            case e.HumanCommand(id=id_, command=command):
                self._humans[id_] = self._item(event, "ran", args=_shown(command))
            case e.HumanCommandFinished(id=id_):
                self._humans[id_] |= {"out": _shown(event.observation), "done": event.seq}
                self._humans[id_] |= {"code": event.exit_code, "took": event.duration}
            case e.Warned(text=text) | e.ModelFailed(error=text):
                self._item(event, "note", text=clean(text), by="the program")
            case e.RunFinished(error=error):
                words = clean(error) if error else event.reason.replace("_", " ")
                self._item(event, "end", text=words, ok=event.reason == "submitted")
            case e.SnapshotTaken(step=step):
                self._item(event, "snapshot", text=f"files kept after step {step}")
            case _:
                pass

    def _call(self, event: e.CallProposed | e.CallDecided | e.CallStarted | e.CallFinished) -> None:
        match event:
            case e.CallProposed(call=call):
                self._calls[call.number] = self._item(
                    event, "call", step=call.step, number=call.number, name=nickname(call.name)
                )
                self._arguments(self._calls[call.number], call.name, call.arguments)
            case e.CallDecided():
                item = self._calls[event.call]
                if event.by == "human":
                    item["decided"] = event.verdict
                if event.arguments is not None:
                    self._arguments(item, item["tool"], event.arguments)
            case e.CallStarted():
                self._calls[event.call]["started"] = event.seq
            case e.CallFinished():
                self._calls[event.call] |= {
                    "done": event.seq,
                    "ok": event.ok,
                    "code": event.exit_code,
                    "took": event.duration,
                    "out": _shown(event.observation),
                }

    def _arguments(self, item: dict[str, Any], tool: str, arguments: str) -> None:
        item["tool"] = clean_line(tool)
        item["name"] = clean_line(nickname(tool))
        item["head"] = clean_line(headline(tool, arguments))[:300]
        fields = parameters(arguments)
        lines = [
            f"{name}:\n{value}" if isinstance(value, str) and "\n" in value else f"{name}: {value}"
            for name, value in fields.items()
        ]
        only = fields.get("command") if len(fields) == 1 else None
        item["args"] = _shown(only if isinstance(only, str) else "\n".join(lines))

    def _item(self, event: e.AnyEvent, kind: str, **fields: Any) -> dict[str, Any]:
        item = {"kind": kind, "seq": event.seq, **fields}
        self.items.append(item)
        return item


def _changes(events: Sequence[e.AnyEvent]) -> list[list[Any]]:
    """seq, path, what became of it, kind, size and digest of every change of a file."""
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
            changes.append([event.seq, clean_line(f.path), what, f.kind, f.size, f.blob])
    return changes


def _contents(recording: Recording, changes: Sequence[Sequence[Any]]) -> dict[str, str]:
    """Texts of files by digest, those that were changed first; what is not text is left out."""
    contents: dict[str, str] = {}
    room = MOST_FILE_BYTES
    for _, _, _, _, size, digest in sorted(changes, key=lambda change: not change[2]):
        if digest is None or digest in contents or not size <= min(room, LARGEST_FILE):
            continue
        data = recording.blob(digest)
        if data is None or b"\0" in data:
            continue
        try:
            contents[digest] = clean(data.decode())
        except UnicodeDecodeError:
            continue
        room -= len(data)
    return contents


__all__ = ["film"]
