"""Instruction following: every constraint is stated in the problem and met by the example.

A second reading of the problem's wording agrees with what is checked.
"""

from __future__ import annotations

import json
import re

import pytest

from sandbox_tui.core.evals.pocket.instructions.words import WORDS
from sandbox_tui.core.evals.pocket.suite import families_of
from sandbox_tui.core.evals.scorers.base import Attempt
from sandbox_tui.core.evals.scorers.constraints import CHECKS, ConstraintsScorer
from sandbox_tui.core.evals.task import Task
from tests.unit.core.evals.pocket.samples import SEEDS, all_of, ints, match, tasks_of


async def value(task: Task, answer: str | None) -> float:
    attempt = Attempt(task=task, mode="vanilla", answer=answer)
    return (await ConstraintsScorer().score(attempt)).value


def all_tasks() -> list[Task]:
    return [task for seed in SEEDS for task in tasks_of("instruction_following", seed)]


def checks(task: Task) -> dict[str, object]:
    return dict(task.metadata["constraints"])


def test_the_words_are_words() -> None:
    assert len(WORDS) == len(set(WORDS)) >= 800
    assert all(re.fullmatch("[a-z]{3,10}", word) for word in WORDS if word != "ox")


READINGS: dict[str, list[tuple[str, str]]] = {
    # For each family: a pattern in the problem, and an expression about the example that must be
    # true (t is its text, w its words, l its lines, g the groups of the pattern).
    "lengths": [(r"(?:have|must be) ([\d, ]+\d)", "[len(x) for x in w] == ints(g[0])"),
                (r"letter (\w) must", "g[0] not in t"), (r"No word may|All words are", "len(set(w)) == len(w)")],
    "in_order": [(r"(?:Write|exactly) (\d+) words", "len(w) == int(g[0])"), (r"exactly (\d+) letters", "len(''.join(w)) == int(g[0])"),
                 (r"these letters, (\w) occurs exactly (\d+)", "t.count(g[0]) == int(g[1])"), (r"order|dictionary", "w == sorted(set(w))")],
    "letter_budget": [(r"(?:exactly|Choose) (\d+) words", "len(w) == int(g[0])"),
                      (r"(?:this:|have) ((?:\w \d+ times,? ?)+)", "all(t.count(c) == int(n) for c, n in re.findall(r'(\\w) (\\d+) times', g[0]))")],
    "chain": [(r"of (\d+) words", "len(w) == int(g[0])"), (r"first word is (\w+)", "w[0] == g[0]"), (r"last letter|letter that", "all(a[-1] == b[0] for a, b in zip(w, w[1:]))")],
    "initials": [(r"(?:spell|give:) ([a-z ]+?)(?: \(|\. Ignore)", "''.join(x[0] for x in w) == g[0].replace(' ', '')"),
                 (r"at least (\d+) letters", "min(map(len, w)) >= int(g[0])"), (r"letter (\w) occurs in none", "g[0] not in t")],
    "alternating": [(r"of (\d+) words", "len(w) == int(g[0])"), (r"exactly (\d+) letters", "len(''.join(w)) == int(g[0])"),
                    (r"(?:with|must begin with) (a vowel|a consonant)", "[x[0] in 'aeiou' for x in w] == [(i % 2 == 0) == (g[0] == 'a vowel') for i in range(len(w))]"),
                    (r"No word is shorter", "[len(x) for x in w] == sorted(len(x) for x in w)")],
    "no_shared_letters": [(r"(?:Find|Write) (\d+) words", "len(w) == int(g[0])"), (r"at least (\d+)", "min(map(len, w)) >= int(g[0])"),
                          (r"exactly (\d+) letters", "len(''.join(w)) == len(set(''.join(w))) == int(g[0])")],
    "acrostic": [(r"(?:the word|acrostic on) (\w+)", "''.join(x[0] for x in l) == g[0]"), (r"exactly (\d+) words", "all(len(x.split()) == int(g[0]) for x in l)"),
                 (r"letter (\w) does not", "g[0] not in t"), (r"No word occurs twice", "len(set(w)) == len(w)")],
    "staircase": [(r"(?:Write|of) (\d+) lines", "len(l) == int(g[0])"), (r"(?:exactly|lines:) (\d+) characters", "len(l[0]) == int(g[0])"),
                  (r"(?:exactly|and) (\d) (?:character|more)", "all(len(b) - len(a) == int(g[0]) for a, b in zip(l, l[1:]))")],
    "column": [(r"(\d) words of (?:exactly )?(\d) letters", "len(l) == int(g[0]) and all(len(x) == int(g[1]) for x in l)"),
               (r"(second|third|fourth|fifth|sixth) letter", "g[0]"), (r"(?:letters read|must spell) (\w+)", "g[0] in [''.join(x[i] for x in l) for i in range(len(l[0]))]")],
    "sentence": [(r"exactly (\d+) words", "len(w) == int(g[0])"), (r"words ([\w, ]+), in this form", "set(g[0].split(', ')) <= {x.strip(',.').lower() for x in w}"),
                 (r"letter (\w) does not", "g[0] not in t.lower()"), (r"(\d) comma", "t.count(',') == int(g[0])"), (r"last word is (\w+)", "t.endswith(' ' + g[0] + '.')"),
                 (r"No word occurs", "len({x.strip(',.').lower() for x in w}) == len(w)")],
    "refrain": [(r"(\d+) words", "len(w) == int(g[0])"), (r"(?:no other, is|in which) (\w+)", "w.count(g[0]) and len({i % k for i, x in enumerate(w) if x == g[0] for k in [w.index(g[0]) + 1]}) == 1"),
                (r"exactly (\d+) letters", "len(''.join(w)) == int(g[0])"), (r"letter (\w) does not", "not any(g[0] in x for x in w if w.count(x) == 1)")],
    "record": [(r"list of (\d+) different", "len(set(json.loads(t)['words'])) == int(g[0])"), (r"the letter (\w) in it", "all(g[0] in x for x in json.loads(t)['words'])"),
               (r"must be (\d+)", "len(''.join(json.loads(t)['words'])) == int(g[0]) == json.loads(t)['letters']")],
}  # fmt: skip


def test_every_family_is_read() -> None:
    assert set(READINGS) == set(families_of("instruction_following"))


@pytest.mark.parametrize("family", sorted(READINGS))
def test_examples_keep_what_the_words_ask(family: str) -> None:
    for task in all_of("instruction_following", family):
        text = task.target
        names = {
            "t": text,
            "w": text.split(),
            "l": text.split("\n"),
            "ints": ints,
            "re": re,
            "json": json,
        }
        for pattern, holds in READINGS[family]:
            groups = match(task.problem, pattern).groups()
            assert eval(holds, names | {"g": groups}), (task.problem, text, pattern)
        if task.files:
            allowed = task.files["words.txt"].decode().split()
            used = json.loads(text)["words"] if family == "record" else text.split()
            assert set(used) <= set(allowed)


async def test_honest_formats_and_small_changes() -> None:
    for task in all_tasks():
        target = task.target
        assert await value(task, target) == 1
        assert await value(task, f"\n{target}\n\n") == 1
        assert await value(task, f"```\n{target}\n```") == 1
        words = target.split()
        changed = [
            " ".join(words[:-1]),
            target + " house",
            target + "\nhouse",
            target[: len(target) // 2],
            f"Here is my text: {target}",
            f"{target}\nI hope this helps.",
            words[0],
            target.upper() + "!",
        ]
        for answer in changed:
            assert await value(task, answer) == 0, (task.problem, answer)


@pytest.mark.parametrize(
    "answer",
    [None, "", " ", "\n\n", "{}", "[]", '{"words": 3}', '{"words": [[]], "letters": 1, "longest": 1}', "[" * 40_000, "a " * 30_000,
     "null", "NaN", "\u0000", "١٢ ٣", "ａｂｃ", "the answer is either 3 or 4"],
)  # fmt: skip
async def test_hostile_texts_score_nothing(answer: str | None) -> None:
    for task in tasks_of("instruction_following", 0):
        assert await value(task, answer) == 0


def test_every_check_is_used() -> None:
    used = {name for task in all_tasks() for name, _ in task.metadata["constraints"]}
    assert used | {"no_letter_twice"} == set(CHECKS)


async def test_one_constraint_too_few_is_seen() -> None:
    """Every check but four kinds rejects some mangled example, so no check is empty."""
    broken = dict.fromkeys(CHECKS, 0)
    for task in all_tasks():
        for name, spec in task.metadata["constraints"]:
            mangled = " ".join(reversed(task.target.split())) + " zz zz, Qq\nx"
            scorer = ConstraintsScorer()
            alone = Task(id="x", problem="", target="", metadata={"constraints": [[name, spec]]})
            got = await scorer.score(Attempt(task=alone, mode="vanilla", answer=mangled))
            broken[name] += got.value == 0
    free = [name for name, count in broken.items() if not count]
    assert set(free) <= {"without", "includes", "letter_counts", "growing"}
