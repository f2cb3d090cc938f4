"""Searches a live run, reading each part of it once."""

from __future__ import annotations

from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, ReplyItem
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.tui.widgets.calls.call_text import whole_text


class RunSearch:
    """Tells whether words occur in the task, the model's name, a reply, a call or its output.

    It is queried several times a second, so it reads complete parts only once.

    Args:
        run: the run.
    """

    def __init__(self, run: FoldedRun) -> None:
        self._run = run
        self._wanted = ""
        self._found = False
        self._read = 0
        self._seq = -1

    def finds(self, words: str) -> bool:
        """Return whether the words occur, ignoring case."""
        needle = words.casefold()
        if needle != self._wanted:
            self._wanted, self._found, self._read, self._seq = needle, False, 0, -1
        if not needle or self._found:
            return True
        state = self._run.state
        if state.seq != self._seq:
            self._seq = state.seq
            self._found = needle in self._head() or self._in_items()
        return self._found

    def _head(self) -> str:
        started, finished = self._run.state.started, self._run.state.finished
        model = started.model if started else ""
        answer = (finished.answer or "") if finished else ""
        return f"{self._run.task}\n{model}\n{answer}".casefold()

    def _in_items(self) -> bool:
        items = self._run.state.items
        for item in items[self._read :]:
            if self._wanted in _text(item).casefold():
                return True
        while self._read < len(items) and _is_complete(items[self._read]):
            self._read += 1
        return False


def _text(item: Item) -> str:
    match item:
        case ReplyItem():
            return f"{item.reasoning}\n{item.text}"
        case CallItem():
            return f"{item.call.name}\n{whole_text(item)}"
        case HumanItem():
            return item.text
        case _:
            return ""


def _is_complete(item: Item) -> bool:
    match item:
        case ReplyItem():
            return item.ended
        case CallItem():
            return item.finished is not None
        case HumanItem():
            return not item.waits
        case _:
            return True
