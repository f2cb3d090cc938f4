"""What runs answered: only what a run submitted is its answer."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from sandbox_tui.sessions.store.run_summary import RunSummary

KNOWN_ANSWERS = ("submitted", "imported")
"""Outcomes whose answer is not left over: that of an import may have been submitted."""

NOT_SUBMITTED = "(not submitted)"
"""Marks the text that a run left in its answer's file without submitting it."""

SAID = "said in submit"
"""Marks an answer that is only in the call of `submit`."""

NO_ANSWER = "no answer"

ANSWER_FILE = "output/answer.txt"

_WORD = re.compile(r"[+-]?\w+(?:[.,:/-]\w+)*")

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")

UNKNOWN_END = "how it ended is not in the recording"

_WITHOUT_END = {
    "running": "the run had not ended yet",
    "interrupted": "the run was interrupted",
    "imported": UNKNOWN_END,
}

_ANSWER_ARGUMENTS = ("answer", "final_answer", "result", "output", "text")
"""Arguments in which models put an answer, though `submit` takes none."""

_CALLED_ANSWER = _ANSWER_ARGUMENTS[:2]


def answer_in_call(arguments: str, names: Sequence[str] = _ANSWER_ARGUMENTS) -> str:
    """Return the answer in the arguments of a call of `submit`, under the first of these names that
    holds one; empty if none does."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(given, dict):
        return ""
    values = cast(dict[str, Any], given)
    for name in names:
        value = values.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value).strip()
    return ""


def other_answer_in_call(arguments: str, answer: str | None) -> str:
    """Return the answer in the arguments of a call of `submit` that is not the one in the file;
    empty if one contains the other in its words, or either is empty."""
    said = answer_in_call(arguments, _CALLED_ANSWER)  # others may report, as in "result": "done"
    in_call, in_file = _words_of(said), _words_of(answer or "")
    is_about_file = "answer.txt" in said
    return "" if is_about_file or in_call in in_file or in_file in in_call else said


def _words_of(text: str) -> str:
    """Return the words of a text between spaces, without case and punctuation."""
    words = " ".join(_WORD.findall(_THOUSANDS.sub("", text.casefold())))
    return f" {words} " if words else " "


def other_said_mark(said: str) -> str:
    """Return the mark of an answer in the file while the call of `submit` holds another one."""
    return f"({ANSWER_FILE}; submit said {said})"


def submitted_answer(outcome: str | None, answer: str | None) -> str:
    """Return the answer that a run submitted; empty if it submitted none.

    A run that ended otherwise may have left text in its answer's file: perhaps a part of an answer.
    """
    return (answer or "").strip() if outcome == "submitted" else ""


def leftover_answer(outcome: str | None, answer: str | None) -> str:
    """Return the text that a run left in its answer's file without submitting it."""
    return "" if outcome in KNOWN_ANSWERS else (answer or "").strip()


def count_answers(answers: Iterable[str | None]) -> list[tuple[str, int]]:
    """Return each answer with its count, the most frequent first; missing and empty ones are left
    out."""
    stripped = (answer.strip() for answer in answers if answer)
    return Counter(answer for answer in stripped if answer).most_common()


class ReportedAnswer(NamedTuple):
    """What a report says about a run's answer.

    Attributes:
        text: the answer; empty if there is none.
        mark: what to say beside it if it was not submitted in its file.
        why_none: that there is none, and why; empty if there is one.
    """

    text: str = ""
    mark: str = ""
    why_none: str = ""


def reported_answer(run: RunSummary) -> ReportedAnswer:
    """Return a run's answer for a report, or why there is none."""
    if (run.answer or "").strip():
        is_left = leftover_answer(run.outcome, run.answer)
        return ReportedAnswer(run.answer or "", NOT_SUBMITTED if is_left else "")
    if run.said:
        return ReportedAnswer(run.said, said_mark(run.answer))
    return ReportedAnswer(why_none=f"{NO_ANSWER}: {reason_without_answer(run)}")


def reason_without_answer(run: RunSummary) -> str:
    """Return why a run has no answer, as a part of a sentence."""
    reason = (run.error or "").strip().removesuffix(".")
    if reason.startswith(("You ", "The ")):
        reason = reason[0].lower() + reason[1:]
    if reason:
        return reason
    if run.outcome == "submitted":
        return why_no_answer(run.answer, is_rebuilt=run.is_rebuilt)
    ended = f"the run ended with {run.outcome.replace('_', ' ')}"
    return _WITHOUT_END.get(run.outcome, ended)


def why_no_answer(answer: str | None, *, is_rebuilt: bool = False) -> str:
    """Return why a run that submitted has no answer, given its empty answer; a session that was
    rebuilt from another recording tells only what that contains."""
    if is_rebuilt:
        return "the recording does not contain it"
    return _what_is_wrong_with_file(answer)


def said_mark(answer: str | None) -> str:
    """Return the mark of an answer that is only in the call of `submit`, given its empty answer."""
    return f"({SAID}; {_what_is_wrong_with_file(answer)})"


def _what_is_wrong_with_file(answer: str | None) -> str:
    return f"{ANSWER_FILE} {'was not written' if answer is None else 'is empty'}"
