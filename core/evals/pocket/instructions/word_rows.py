"""Tasks that ask for rows of words from a given list."""

from __future__ import annotations

from collections import Counter

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.instructions.drafts import text_problem, vocabulary
from sandbox_tui.core.evals.pocket.problem import Problem, at_level

_ROW = (
    "Answer with the row of words on one line and nothing else.",
    "Your answer is this one line of words, without any comment.",
    "Give only the words, all on one line.",
)
_NO_TWICE = ("No word may occur twice.", "All words are different from each other.")


def lengths(draw: Draw, level: int) -> Problem:
    """Words of given lengths. Size: words."""
    words = vocabulary(draw)
    letter = draw.one_of("aeiost")
    fitting = [word for word in words if letter not in word]
    example = draw.some(fitting, at_level(level, 7, 14, 24))
    wanted = [len(word) for word in example]
    listed = ", ".join(map(str, wanted))
    opening = draw.one_of(
        (
            f"Write a row of {len(example)} words that have {listed} letters, in this order.",
            f"Find {len(example)} words for a row. Their numbers of letters must be {listed}.",
        )
    )
    rules = [draw.one_of(_NO_TWICE), f"The letter {letter} must not occur anywhere."]
    constraints = {"lengths": wanted, "distinct": True, "without": letter}
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_ROW),
        " ".join(example),
        constraints,
        words=words,
        size=len(example),
    )


def in_order(draw: Draw, level: int) -> Problem:
    """Words in alphabetical order with a total of letters. Size: words."""
    words = vocabulary(draw)
    example = sorted(draw.some(words, at_level(level, 6, 11, 18)))
    letter = draw.one_of("aeiortn")
    joined = "".join(example)
    rules = [
        f"All words together have exactly {len(joined)} letters.",
        f"Among these letters, {letter} occurs exactly {joined.count(letter)} times.",
        draw.one_of(_NO_TWICE),
    ]
    opening = draw.one_of(
        (
            f"Write {len(example)} words in alphabetical order.",
            f"Put together a row of exactly {len(example)} words that a dictionary would list in "
            "just this order.",
        )
    )
    constraints = {
        "words": len(example),
        "sorted": True,
        "letter_total": len(joined),
        "letter_counts": {letter: joined.count(letter)},
    }
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_ROW),
        " ".join(example),
        constraints,
        words=words,
        size=len(example),
    )


def letter_budget(draw: Draw, level: int) -> Problem:
    """Words with exact counts of some letters. Size: counted letters."""
    words = vocabulary(draw)
    example = draw.some(words, at_level(level, 5, 8, 12))
    letters = draw.some("aeiorstnl", at_level(level, 2, 4, 6))
    counts = Counter("".join(example))
    asked = ", ".join(f"{c} {counts[c]} times" for c in letters)
    opening = draw.one_of(
        (
            f"Write a row of exactly {len(example)} words.",
            f"Choose {len(example)} words and write them in a row, in any order.",
        )
    )
    rules = [
        draw.one_of(
            (
                f"In the whole row, letters must occur as often as this: {asked}.",
                f"Count letters over the whole row: it must have {asked}.",
            )
        ),
        draw.one_of(_NO_TWICE),
    ]
    constraints = {
        "words": len(example),
        "distinct": True,
        "letter_counts": {c: counts[c] for c in letters},
    }
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_ROW),
        " ".join(example),
        constraints,
        words=words,
        size=len(letters) * 10 + len(example),
    )


def chain(draw: Draw, level: int) -> Problem:
    """Words that each start with the last letter of the one before. Size: words."""
    words = vocabulary(draw)
    count = at_level(level, 7, 13, 22)
    for first in draw.shuffled(words):
        example = [first]
        while len(example) < count:
            after = [w for w in words if w[0] == example[-1][-1] and w not in example]
            if not after:
                break
            example.append(draw.one_of(after))
        if len(example) == count:
            break
    else:
        return chain(draw, level)
    total = sum(map(len, example))
    opening = draw.one_of(
        (
            f"Write a chain of {count} words: each word begins with the last letter of the word "
            "before it.",
            f"Make a row of {count} words in which every word after the first starts with the "
            "letter that the word before it ends with.",
        )
    )
    rules = [f"The first word is {example[0]}.", draw.one_of(_NO_TWICE)]
    constraints = {"words": count, "chain": example[0], "distinct": True}
    if level > 1:
        rules.append(f"All words together have exactly {total} letters.")
        constraints["letter_total"] = total
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_ROW),
        " ".join(example),
        constraints,
        words=words,
        size=count,
    )


def initials(draw: Draw, level: int) -> Problem:
    """Words whose first letters spell other words. Size: words."""
    words = vocabulary(draw)
    shortest, letter = at_level(level, 3, 4, 4), draw.one_of("ueo")
    fitting = [word for word in words if len(word) >= shortest and letter not in word]
    heads = draw.some(words, at_level(level, 2, 3, 5))
    example: list[str] = []
    for head in "".join(heads):
        choice = [word for word in fitting if word[0] == head and word not in example]
        if not choice:
            return initials(draw, level)
        example.append(draw.one_of(choice))
    opening = draw.one_of(
        (
            f"Write a row of {len(example)} words whose first letters, read in order, spell "
            f"{' '.join(heads)} (without the spaces).",
            f"The first letters of {len(example)} words in a row shall give: {' '.join(heads)}. "
            "Ignore the spaces in that, and find the words.",
        )
    )
    rules = [
        f"Every word has at least {shortest} letters.",
        f"The letter {letter} occurs in none of the words.",
        draw.one_of(_NO_TWICE),
    ]
    constraints = {
        "initials": "".join(heads),
        "shortest": shortest,
        "without": letter,
        "distinct": True,
    }
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_ROW),
        " ".join(example),
        constraints,
        words=words,
        size=len(heads),
    )


def alternating(draw: Draw, level: int) -> Problem:
    """Words that alternately start with vowels and consonants and grow longer. Size: words."""
    words = vocabulary(draw)
    count, first = at_level(level, 8, 14, 22), draw.chance(0.5)
    example: list[str] = []
    pools = {
        vowel: sorted((w for w in words if (w[0] in "aeiou") == vowel), key=len)
        for vowel in (True, False)
    }
    for i in range(count):
        pool = pools[(i % 2 == 0) == first]
        least = len(example[-1]) if example else 0
        choice = [w for w in pool if len(w) >= least and w not in example][: 1 + 60 // count]
        if not choice:
            return alternating(draw, level)
        example.append(draw.one_of(choice))
    total = sum(map(len, example))
    kinds = ("a vowel (a, e, i, o or u)", "a consonant (y counts as one)")
    opening = draw.one_of(
        (
            f"Write a row of {count} words that begin in turn with {kinds[not first]} and with "
            f"{kinds[first]}.",
            f"In a row of {count} words, the first, third, fifth and so on must begin with "
            f"{kinds[not first]}, the others with {kinds[first]}.",
        )
    )
    rules = [
        "No word is shorter than the word before it.",
        draw.one_of(_NO_TWICE),
        f"The words have exactly {total} letters in all.",
    ]
    constraints = {
        "words": count,
        "vowels_first": first,
        "growing": True,
        "distinct": True,
        "letter_total": total,
    }
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_ROW),
        " ".join(example),
        constraints,
        words=words,
        size=count,
    )


def no_shared_letters(draw: Draw, level: int) -> Problem:
    """Words that have no letter in common. Size: letters that must all differ."""
    words = vocabulary(draw)
    count, shortest = at_level(level, 3, 4, 5), at_level(level, 4, 4, 3)
    fitting = [w for w in words if len(set(w)) == len(w) >= shortest]
    example = _apart(draw.some(fitting, 110), count, at_level(level, 12, 15, 17))
    if not example:
        return no_shared_letters(draw, level)
    total = sum(map(len, example))
    opening = draw.one_of(
        (
            f"Find {count} words so that no letter of the alphabet occurs more than once in all of "
            "them together.",
            f"Write {count} words with no letter in common; no letter may come twice within a word "
            "either.",
        )
    )
    rules = [
        f"Every word has at least {shortest} letters.",
        f"Together they have exactly {total} letters.",
    ]
    constraints = {
        "words": count,
        "no_letter_twice": True,
        "shortest": shortest,
        "letter_total": total,
    }
    return text_problem(
        draw,
        opening,
        rules,
        draw.one_of(_ROW),
        " ".join(example),
        constraints,
        words=words,
        size=total,
    )


def _apart(words: list[str], count: int, least: int) -> list[str]:
    """Return the first words, in order, that share no letter and have at least this many
    letters."""
    if not count:
        return [] if least > 0 else ["found"]
    for i, word in enumerate(words):
        rest = [other for other in words[i + 1 :] if not set(other) & set(word)]
        if found := _apart(rest, count - 1, least - len(word)):
            return [word, *found] if found != ["found"] else [word]
    return []
