"""Finds overlap between held-out tasks and training tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.near_duplicates import near_duplicates
from sandbox_tui.core.rl.data.shingles import normalised, shingles
from sandbox_tui.core.rl.data.split import documents_of

LeakKind = Literal["document", "normalised", "near_duplicate", "question_and_answer", "n_grams"]
"""`document`: the same bytes. `normalised`: the same words; case, punctuation and space differ.
`near_duplicate`: most runs of five words are the same. `question_and_answer`: the same words.
`n_grams`: too much of a task's text, in any places, occurs in the training text."""

LEAK_KINDS: tuple[LeakKind, ...] = (
    "document",
    "normalised",
    "near_duplicate",
    "question_and_answer",
    "n_grams",
)

NGRAM_WORDS = 13
MAX_OVERLAP = 0.5


class Leak(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a held-out task shares with training tasks.

    Attributes:
        kind: kind of leak.
        held_out, train: ids of the tasks; `train` is empty for `n_grams`.
        held_out_document, train_document: names of the documents, if documents leak.
        similarity: 1 if it is the same, else the share in common.
    """

    kind: LeakKind
    held_out: str
    train: str = ""
    held_out_document: str = ""
    train_document: str = ""
    similarity: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakReport:
    """Leaks between training and held-out tasks.

    Attributes:
        leaks: one for each held-out document, question or text that leaks, by kind.
        repeated_questions: number of held-out tasks with the question of a training task and any
            answer.
        overlaps: share of the n-grams of each held-out task that occur in the training text.
        ngram: number of words in an n-gram.
    """

    leaks: tuple[Leak, ...]
    repeated_questions: int
    overlaps: Mapping[str, float]
    ngram: int

    @property
    def leaking_tasks(self) -> int:
        """Number of held-out tasks that leak."""
        return len({leak.held_out for leak in self.leaks})


def find_leaks(
    train: Sequence[Task],
    held_out: Sequence[Task],
    *,
    ngram: int = NGRAM_WORDS,
    max_overlap: float = MAX_OVERLAP,
) -> LeakReport:
    """Compare held-out tasks with training tasks.

    Args:
        train: tasks to train on.
        held_out: tasks to measure the policy with.
        ngram: number of words in an n-gram.
        max_overlap: maximum share of a task's n-grams that may occur in the training text.
    """
    overlaps = _overlaps(train, held_out, ngram)
    asked = {normalised(task.problem) for task in train}
    leaks = [
        *_documents(train, held_out),
        *_questions(train, held_out),
        *(
            Leak(kind="n_grams", held_out=name, similarity=round(share, 4))
            for name, share in overlaps.items()
            if share > max_overlap
        ),
    ]
    return LeakReport(
        leaks=tuple(sorted(leaks, key=lambda leak: LEAK_KINDS.index(leak.kind))),
        repeated_questions=sum(normalised(task.problem) in asked for task in held_out),
        overlaps=overlaps,
        ngram=ngram,
    )


_Place = tuple[str, str]
"""A task's id and a document's name."""


def _documents(train: Sequence[Task], held_out: Sequence[Task]) -> Iterator[Leak]:
    """Report each held-out document at most once, as its strongest kind of leak."""
    trained, held = _places(train), _places(held_out)
    words = {normalised(text): place for text, place in reversed(trained.items())}
    rest: dict[str, list[_Place]] = {}
    for text, places in held.items():
        if text in trained:
            yield from _leaks("document", places, trained[text][0])
        elif normalised(text) in words:
            yield from _leaks("normalised", places, words[normalised(text)][0])
        else:
            rest[text] = places
    yield from _near_duplicate_leaks(trained, rest)


def _near_duplicate_leaks(
    trained: Mapping[str, list[_Place]], held: Mapping[str, list[_Place]]
) -> Iterator[Leak]:
    texts = [*trained, *held]
    found: dict[int, tuple[float, int]] = {}
    for pair in near_duplicates(texts):
        if pair.first < len(trained) <= pair.second:
            found[pair.second] = max(
                found.get(pair.second, (0.0, 0)), (pair.similarity, pair.first)
            )
    for at, (similarity, other) in sorted(found.items()):
        yield from _leaks("near_duplicate", held[texts[at]], trained[texts[other]][0], similarity)


def _places(tasks: Iterable[Task]) -> dict[str, list[_Place]]:
    """Return the places of each document."""
    found: defaultdict[str, list[_Place]] = defaultdict(list)
    for task in tasks:
        for name, text in documents_of(task).items():
            found[text].append((task.id, name))
    return dict(found)


def _leaks(
    kind: LeakKind, places: Iterable[_Place], source: _Place, similarity: float = 1.0
) -> Iterator[Leak]:
    for task, name in places:
        yield Leak(
            kind=kind,
            held_out=task,
            held_out_document=name,
            train=source[0],
            train_document=source[1],
            similarity=round(similarity, 4),
        )


def _questions(train: Sequence[Task], held_out: Sequence[Task]) -> Iterator[Leak]:
    known = {_question(task): task.id for task in reversed(train)}
    for task in held_out:
        if _question(task) in known:
            yield Leak(kind="question_and_answer", held_out=task.id, train=known[_question(task)])


def _question(task: Task) -> tuple[str, str]:
    return normalised(task.problem), normalised(task.target)


def _overlaps(train: Sequence[Task], held_out: Sequence[Task], ngram: int) -> dict[str, float]:
    """Return the overlap of each held-out task. The index holds the held-out text, which is the
    smaller."""
    runs = {task.id: _runs(task, ngram) for task in held_out}
    held_out_runs = frozenset[int]().union(*runs.values())
    found: set[int] = set()
    for task in train:
        found |= held_out_runs & _runs(task, ngram)
    return {name: len(own & found) / len(own) if own else 0.0 for name, own in runs.items()}


def _runs(task: Task, ngram: int) -> frozenset[int]:
    """Return the n-grams of a task's documents. Questions are left out: they often share their
    wording."""
    return frozenset[int]().union(*(shingles(text, ngram) for text in documents_of(task).values()))
