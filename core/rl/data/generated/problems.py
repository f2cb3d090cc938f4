"""Combines a question, its answer and its documents into a problem."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from string import ascii_uppercase

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.long_context.worlds import HARBOUR, MOUNTAINS
from sandbox_tui.core.evals.pocket.problem import Problem
from sandbox_tui.core.rl.data.generated import words

Files = Mapping[str, str]

_CHOICE = {"qa_type": "Multiple Choice"}
_FREE = {"qa_type": "free-form"}
_FILLER = (*HARBOUR.filler, *MOUNTAINS.filler)


def number(text: str, answer: int, files: Files, size: int) -> Problem:
    """Return a question whose answer is a whole number."""
    return Problem(
        text=text,
        target=str(answer),
        scorer="number",
        size=size,
        files=_encoded(files),
        metadata={"integer": True, **_FREE},
    )


def exact(text: str, answer: str, files: Files, size: int) -> Problem:
    """Return a question whose answer can be written in one way only."""
    return Problem(
        text=text,
        target=answer,
        scorer="exact",
        size=size,
        files=_encoded(files),
        metadata=dict(_FREE),
    )


def one_of(
    draw: Draw, text: str, right: str, wrong: Sequence[str], files: Files, size: int
) -> Problem:
    """Return a question with options, one of which is right."""
    options = draw.shuffled([right, *wrong])
    return Problem(
        text=f"{text}\n\n{_listed(options)}\n\nAnswer with the letter.",
        target=ascii_uppercase[options.index(right)],
        scorer="choice",
        size=size,
        files=_encoded(files),
        metadata=dict(_CHOICE),
    )


def all_of(
    draw: Draw, text: str, options: Sequence[str], right: Collection[str], files: Files, size: int
) -> Problem:
    """Return a question with options, some of which are right."""
    options = draw.shuffled(options)
    letters = [
        letter for letter, option in zip(ascii_uppercase, options, strict=False) if option in right
    ]
    return Problem(
        text=f"{text}\n\n{_listed(options)}\n\nAnswer with all letters that are right, "
        "with commas between them.",
        target=", ".join(letters),
        scorer="multiple_choice",
        size=size,
        files=_encoded(files),
        metadata=dict(_CHOICE),
    )


def filler(draw: Draw) -> str:
    """Return a sentence about something unrelated."""
    return draw.one_of(_FILLER).format(
        a=draw.integer(2, 60), b=draw.integer(2, 40), x=draw.one_of(words.FIRST_NAMES)
    )


def _listed(options: Sequence[str]) -> str:
    return "\n".join(
        f"{letter}. {option}" for letter, option in zip(ascii_uppercase, options, strict=False)
    )


def _encoded(files: Files) -> dict[str, bytes]:
    return {name: text.encode() for name, text in files.items()}
