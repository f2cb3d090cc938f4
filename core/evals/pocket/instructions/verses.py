"""Tasks that ask for several lines, sentences and records."""

from __future__ import annotations

import json

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.instructions.drafts import text_problem, told, vocabulary
from sandbox_tui.core.evals.pocket.problem import Problem, at_level

_LINES = (
    "Answer with these lines and nothing else.",
    "Your answer consists of the lines alone.",
    "Give only the lines, without an introduction or numbers.",
)
_TOPICS = (
    "a harbour in winter",
    "a lost umbrella",
    "a market at dawn",
    "an old bicycle",
    "a letter from the sea",
    "a clock that stopped",
    "a dog on a ferry",
    "a library at night",
    "a garden after rain",
    "a slow train",
)


def acrostic(draw: Draw, level: int) -> Problem:
    """Lines whose first letters spell a word. Size: words."""
    words = vocabulary(draw)
    count, width = at_level(level, 4, 6, 8), at_level(level, 3, 4, 6)
    letter = draw.one_of("aeotr")
    pool = [word for word in words if letter not in word]
    heads = [word for word in words if len(word) == count]
    head = draw.one_of(heads) if heads else ""
    lines: list[list[str]] = []
    used: set[str] = set()
    for first in head:
        choice = [w for w in pool if w[0] == first and w not in used]
        if not choice:
            break
        line = [draw.one_of(choice)]
        used.add(line[0])
        line += draw.some([w for w in pool if w not in used], width - 1)
        used.update(line)
        lines.append(line)
    if len(lines) != count:
        return acrostic(draw, level)
    opening = draw.one_of(
        (
            f"Write {count} lines whose first letters, from top to bottom, spell the word {head}.",
            f"Write an acrostic on {head}: {count} lines that begin with its letters, one after "
            "the other.",
        )
    )
    rules = [
        f"Each line has exactly {width} words.",
        f"The letter {letter} does not occur in any line.",
        "No word occurs twice in the whole text.",
    ]
    constraints = {
        "line_initials": head,
        "words_in_lines": width,
        "without": letter,
        "distinct": True,
    }
    example = "\n".join(map(" ".join, lines))
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_LINES),
        example,
        constraints,
        words=words,
        size=count * width,
    )


def staircase(draw: Draw, level: int) -> Problem:
    """Lines of exact lengths. Size: characters."""
    words = vocabulary(draw)
    count, step = at_level(level, 4, 7, 11), draw.integer(1, 3)
    first = draw.integer(14, 22)
    wanted = [first + i * step for i in range(count)]
    used: set[str] = set()
    lines: list[str] = []
    for length in wanted:
        line = _line_of(draw, [w for w in words if w not in used], length)
        used.update(line)
        lines.append(" ".join(line))
    how = f"{step} character{'s' * (step > 1)}"
    opening = draw.one_of(
        (
            f"Write {count} lines. The first is exactly {first} characters long, spaces included, "
            f"and each of the others is exactly {how} longer than the line before it.",
            f"Build a staircase of {count} lines: {first} characters in the first one (spaces "
            f"count), and {how} more from line to line.",
        )
    )
    rules = ["No word occurs twice in the whole text."]
    constraints = {"line_lengths": wanted, "distinct": True}
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_LINES),
        "\n".join(lines),
        constraints,
        words=words,
        size=sum(wanted),
    )


def _line_of(draw: Draw, words: list[str], length: int) -> list[str]:
    """Return different words that, joined by spaces, have exactly this many characters."""
    while True:
        line: list[str] = []
        left = length
        while left > 7:
            line.append(draw.one_of([w for w in words if w not in line and len(w) <= left - 4]))
            left -= len(line[-1]) + 1
        last = [w for w in words if len(w) == left and w not in line]
        if last:
            return [*line, draw.one_of(last)]


def column(draw: Draw, level: int) -> Problem:
    """Stacked words, one column of which spells a word. Size: words times their length."""
    words = vocabulary(draw)
    length = at_level(level, 4, 5, 6)
    count = at_level(level, 5, 6, 7)
    at = draw.integer(2, length)
    pool = [w for w in words if len(w) == length]
    heads = [w for w in words if len(w) == count]
    for head in draw.shuffled(heads):
        lines: list[str] = []
        for letter in head:
            choice = [w for w in pool if w[at - 1] == letter and w not in lines]
            lines += [draw.one_of(choice)] if choice else []
        if len(lines) == count:
            break
    else:
        return column(draw, level)
    ordinal = ("", "first", "second", "third", "fourth", "fifth", "sixth")[at]
    opening = draw.one_of(
        (
            f"Write {count} words of {length} letters each, one below the other, so that their "
            f"{ordinal} letters read {head} from top to bottom.",
            f"Put {count} words of exactly {length} letters on lines of their own. Read downwards, "
            f"the {ordinal} letter of each must spell {head}.",
        )
    )
    constraints = {
        "column": {"at": at, "spells": head},
        "line_length": length,
        "words_in_lines": 1,
        "distinct": True,
    }
    rules = ["No word occurs twice."]
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_LINES),
        "\n".join(lines),
        constraints,
        words=words,
        size=count * length,
    )


def sentence(draw: Draw, level: int) -> Problem:
    """A sentence about a topic, otherwise free in its words. Size: constraints and words."""
    words = vocabulary(draw)
    count, commas = at_level(level, 12, 19, 28), at_level(level, 1, 2, 4)
    letter = draw.one_of("auiobm" if level == 1 else "aioe")
    pool = [w for w in words if letter not in w and len(w) > 2]
    needed = draw.some(pool, at_level(level, 2, 3, 5))
    rest = draw.some([w for w in pool if w not in needed], count - len(needed))
    example = draw.shuffled([*needed, *rest])
    final = example[-1]
    for place in range(commas):
        example[2 * place] += ","
    text = " ".join(example).capitalize() + "."
    topic = draw.one_of(_TOPICS)
    opening = draw.one_of(
        (
            f"Write one English sentence of exactly {count} words about {topic}.",
            f"Describe {topic} in a single English sentence that has exactly {count} words.",
        )
    )
    rules = [
        f"It contains the words {', '.join(draw.shuffled(needed))}, in this form.",
        f"The letter {letter} does not occur in it, neither as a capital nor otherwise.",
        "No word occurs twice.",
        f"It has exactly {commas} comma{'s' * (commas > 1)} and no other punctuation but the full "
        "stop at its end; no hyphens or apostrophes.",
        f"Its last word is {final}.",
        "Only its first letter is a capital.",
    ]
    constraints = {
        "words": count,
        "includes": needed,
        "without": letter,
        "distinct": True,
        "commas": commas,
        "ends": f" {final}.",
        "shape": r"[A-Z][a-z]*(,? [a-z]+)*\.",
    }
    ending = draw.one_of(
        ("Answer with the sentence alone.", "Give the sentence on one line and nothing else.")
    )
    return text_problem(
        draw, opening, rules, ending, text, constraints, size=count + len(constraints)
    )


def refrain(draw: Draw, level: int) -> Problem:
    """A row of words with one that recurs. Size: words."""
    words = vocabulary(draw)
    nth, times = draw.integer(3, 5), at_level(level, 3, 6, 10)
    again, letter = draw.one_of(words), draw.one_of("aeo")
    pool = [w for w in words if letter not in w and w != again]
    row = draw.some(pool, (nth - 1) * times)
    example: list[str] = []
    for i in range(times):
        example += [*row[i * (nth - 1) : (i + 1) * (nth - 1)], again]
    total = sum(map(len, example))
    count = nth * times
    opening = (
        draw.one_of(
            (
                f"Write {count} words on one line. Every {nth}th word, and no other, is {again}.",
                f"Write one line of {count} words in which {again} comes back as every {nth}th "
                "word and stands nowhere else.",
            )
        )
        .replace("3th", "third")
        .replace("4th", "fourth")
        .replace("5th", "fifth")
    )
    uses = "at all" if letter not in again else f"outside of the word {again}"
    rules = [
        f"The letter {letter} does not occur {uses}.",
        f"All words together have exactly {total} letters.",
    ]
    constraints = {
        "lines": 1,
        "words": count,
        "every": {"word": again, "nth": nth},
        "letter_counts": {letter: again.count(letter) * times},
        "letter_total": total,
    }
    ending = draw.one_of(("Answer with that line alone.", "Give the line and nothing else."))
    return text_problem(
        draw, opening, rules, ending, " ".join(example), constraints, words=words, size=count
    )


def record(draw: Draw, level: int) -> Problem:
    """A JSON object about words. Size: words."""
    words = vocabulary(draw)
    letter = draw.one_of("adhlnru")
    pool = [w for w in words if letter in w]
    example = draw.some(pool, at_level(level, 4, 8, 14))
    longest = max(example, key=len)
    if [len(w) for w in example].count(len(longest)) > 1:
        return record(draw, level)
    total = sum(map(len, example))
    opening = draw.one_of(
        (
            "Write a JSON object with exactly the keys words, letters and longest.",
            "Your answer is one JSON object; its keys are words, letters and longest, no others.",
        )
    )
    rules = [
        f"words is a list of {len(example)} different words in lower case, each of them from the "
        f"input file words.txt (one word a line) and each with the letter {letter} in it.",
        f"letters is the number of letters of all of these words together, and must be {total}.",
        "longest is the longest of the words; no other word of the list may be as long as it.",
    ]
    ending = draw.one_of(
        ("Answer with the JSON and nothing else.", "Give only the object, as valid JSON.")
    )
    spec = {"vocabulary": words, "count": len(example), "letter": letter, "letters": total}
    value = {"words": example, "letters": total, "longest": longest}
    return Problem(
        text=told(draw, opening, rules, ending),
        target=json.dumps(value),
        scorer="constraints",
        size=len(example),
        files={"words.txt": "".join(f"{word}\n" for word in words).encode()},
        metadata={"constraints": [["json", spec]]},
    )
