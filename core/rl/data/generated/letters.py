"""Domain `letters`: people who agree to meet.

Level 1 is a note of two lines, level 2 a letter that also mentions other things, level 3 letters of
several pairs; at level 4 later letters move some meetings, and the question asks for the final
state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level
from sandbox_tui.core.rl.data.generated import problems, words

_MEETINGS = (
    "Let us meet on {day} in {place}; please bring the {thing}.",
    "I suggest {day}, in {place}. Do not forget the {thing}!",
    "Shall we say {place}, on {day}? I shall need the {thing}.",
    "On {day} I shall be in {place} and hope to see you there, with the {thing}.",
)
_CHANGES = {
    "day": (
        "I cannot come on {old}. Let it be {day} instead; all else as agreed.",
        "Not {old} but {day}, if you please. The rest stays as it is.",
    ),
    "place": (
        "The inn in {old} is closed, so that we meet in {place}; all else as agreed.",
        "Let it be {place} rather than {old}. The rest stays as it is.",
    ),
    "thing": (
        "Leave the {old} at home and bring the {thing}; all else as agreed.",
        "It is the {thing} that I need, not the {old}. The rest stays as it is.",
    ),
}
_QUESTIONS = {
    "day": "On which day do {one} and {other} meet{end}? Answer with day and month, such as 3 May.",
    "place": "In which town do {one} and {other} meet{end}?",
    "thing": "What is {other} to bring to the meeting with {one}{end}? Answer with one word.",
}


@dataclass(frozen=True, slots=True)
class Meeting:
    """What `writer` and `reader` agree on."""

    writer: str
    reader: str
    day: str
    place: str
    thing: str


def _problem(draw: Draw, level: int, field: str) -> Problem:
    """A question about one field of one meeting. Size: sentences of all letters."""
    count = at_level(level, 1, 1, draw.integer(3, 5), draw.integer(4, 6))
    names = words.people(draw, 2 * count)
    meetings = [
        _meeting(draw, writer, reader)
        for writer, reader in zip(names[:count], names[count:], strict=True)
    ]
    others = at_level(level, 0, 8, 10, 10)
    letters = [
        _letter(draw, meeting, draw.one_of(_MEETINGS).format(**_facts(meeting)), others)
        for meeting in draw.shuffled(meetings)
    ]
    asked_of = draw.one_of(range(count))
    if level == 4:
        meetings, later = _moved(draw, meetings, asked_of, field)
        letters += [_letter(draw, meeting, text, others) for meeting, text in later]
    meeting = meetings[asked_of]
    question = _QUESTIONS[field].format(
        one=meeting.writer, other=meeting.reader, end=" in the end" if level == 4 else ""
    )
    files = {
        f"letter-{number}.txt" if len(letters) > 1 else "letter.txt": text
        for number, text in enumerate(letters, 1)
    }
    return problems.exact(question, getattr(meeting, field), files, len(letters) * (others + 1))


def _meeting(draw: Draw, writer: str, reader: str) -> Meeting:
    return Meeting(
        writer,
        reader,
        words.date(draw.integer(0, 364)),
        draw.one_of(words.TOWNS),
        draw.one_of(words.THINGS),
    )


def _moved(
    draw: Draw, meetings: list[Meeting], certain: int, field: str
) -> tuple[list[Meeting], list[tuple[Meeting, str]]]:
    """Return the final state of the meetings, and the texts of later letters: about the meeting in
    question, and about others."""
    after = list(meetings)
    later: list[tuple[Meeting, str]] = []
    places = [certain] * draw.integer(1, 2)
    places += [at for at in range(len(meetings)) if at != certain and draw.chance(0.5)]
    for at in draw.shuffled(places):
        kind = field if at == certain else draw.one_of(list(_CHANGES))
        before = after[at]
        new = _meeting(draw, before.writer, before.reader)
        if getattr(new, kind) == getattr(before, kind):
            continue
        after[at] = replace(before, **{kind: getattr(new, kind)})
        text = draw.one_of(_CHANGES[kind]).format(old=getattr(before, kind), **_facts(after[at]))
        later.append((after[at], text))
    return after, later


def _facts(meeting: Meeting) -> dict[str, str]:
    return {"day": meeting.day, "place": meeting.place, "thing": meeting.thing}


def _letter(draw: Draw, meeting: Meeting, news: str, others: int) -> str:
    sentences = [problems.filler(draw) for _ in range(others)]
    sentences.insert(draw.integer(0, others), news)
    paragraphs = [" ".join(sentences[at : at + 3]) for at in range(0, len(sentences), 3)]
    body = "\n\n".join(paragraphs)
    return f"Dear {meeting.reader},\n{body}\n{meeting.writer}\n"


def day(draw: Draw, level: int) -> Problem:
    """When two people meet. Size: sentences."""
    return _problem(draw, level, "day")


def place(draw: Draw, level: int) -> Problem:
    """Where two people meet. Size: sentences."""
    return _problem(draw, level, "place")


def thing(draw: Draw, level: int) -> Problem:
    """What somebody is to bring. Size: sentences."""
    return _problem(draw, level, "thing")


FAMILIES = {"day": day, "place": place, "thing": thing}
