"""Cuts or joins the documents of a task into a given number of files."""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.task_file import document_text

_PARAGRAPH_END = re.compile(r"(?<=\n)(?:[ \t]*\n)+")
_LINE_END = re.compile(r"(?<=\n)")


def in_parts(task: Task, parts: int) -> Task:
    """Divide the documents of a task into at most this many files of similar length. Paragraphs
    stay whole, or lines if there are too few paragraphs. Nothing is left out.

    Raises:
        ConfigError: a document is not UTF-8 text.
    """
    if not task.files:
        return task
    texts = [document_text(task, name) for name in task.files]
    whole = "".join(text if text.endswith("\n\n") else f"{text.rstrip()}\n\n" for text in texts)
    names = [f"document_{number}.txt" for number in range(1, parts + 1)] if parts > 1 else []
    files = {
        name: part.encode()
        for name, part in zip(names or ["document.txt"], _cut(whole, parts), strict=False)
    }
    return msgspec.structs.replace(task, files=files)


def _cut(text: str, parts: int) -> list[str]:
    pieces = _pieces(text, _PARAGRAPH_END)
    if len(pieces) < parts:
        pieces = _pieces(text, _LINE_END)
    found: list[str] = []
    done = 0
    for at, piece in enumerate(pieces):
        is_next = done + len(piece) / 2 >= len(text) * len(found) / parts
        is_last_chance = len(pieces) - at <= parts - len(found)
        if not found or (is_next and len(found) < parts) or is_last_chance:
            found.append("")
        found[-1] += piece
        done += len(piece)
    return found


def _pieces(text: str, end: re.Pattern[str]) -> list[str]:
    """Split the text after each match."""
    places = [0, *(match.end() for match in end.finditer(text)), len(text)]
    return [text[one:other] for one, other in pairwise(places) if one < other]
