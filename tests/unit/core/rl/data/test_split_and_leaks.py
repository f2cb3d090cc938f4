"""Documents are held out as a whole, and the leak check finds those that were not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.generated.generate import generate_tasks
from sandbox_tui.core.rl.data.leaks import find_leaks
from sandbox_tui.core.rl.data.near_duplicates import MAX_PAIRED, near_duplicates
from sandbox_tui.core.rl.data.shingles import normalised, shingles
from sandbox_tui.core.rl.data.split import groups_of, split_by_document
from tests.examples import examples

WORDS = [f"word{n}" for n in range(5000)]


def prose(seed: int, count: int = 200) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=count))


def task(
    name: str, *documents: str, question: str = "", answer: str = "", domain: str = ""
) -> Task:
    files = {f"{n}.txt": text.encode() for n, text in enumerate(documents)}
    return Task(
        id=name,
        problem=question or f"What of {name}?",
        target=answer or name,
        files=files,
        domain=domain,
    )


def changed(text: str, every: int) -> str:
    """The text with one in `every` words replaced."""
    return " ".join("other" if n % every == 0 else word for n, word in enumerate(text.split()))


def test_words_do_not_depend_on_form() -> None:
    assert normalised("The  CAT,\nsat.") == normalised("the cat sat") == "the cat sat"
    assert normalised("ﬁne Ä") == "fine ä"
    assert normalised("?!") == "?!"
    assert shingles("一二三四五六", 5) & shingles("〇二三四五六", 5)
    assert not shingles("...", 5)
    assert shingles("two words", 5) == shingles("Two, words!", 5)


def test_near_duplicates_are_found_and_others_are_not() -> None:
    source = prose(1)
    excerpt = " ".join(source.split()[40:100])
    texts = [source, prose(2), changed(source, 40), excerpt, changed(source, 6)]
    found = {(pair.first, pair.second): pair.similarity for pair in near_duplicates(texts)}
    assert set(found) == {(0, 2), (0, 3)} | ({(2, 3)} & set(found))
    assert found[0, 3] == 1
    assert 0.5 <= found[0, 2] < 1


@examples(15)
@given(st.integers(0, 10**6), st.integers(2, 24))
def test_connected_tasks_match_a_comparison_of_all_pairs(seed: int, count: int) -> None:
    """The oracle shares nothing with the index: it compares all pairs, by runs of words as text."""
    chance = random.Random(seed)
    texts: list[str] = []
    for _ in range(count):
        source = (
            chance.choice(texts)
            if texts and chance.random() < 0.6
            else prose(chance.randrange(10**6), 60)
        )
        texts.append(
            chance.choice(
                [source, changed(source, chance.randint(3, 40)), source[: len(source) // 2]]
            )
        )
    runs = [
        {" ".join(text.split()[at : at + 5]) for at in range(max(1, len(text.split()) - 4))}
        for text in texts
    ]
    colour = list(range(count))
    for one in range(count):
        for other in range(one):
            common = len(runs[one] & runs[other])
            alike = common / len(runs[one] | runs[other]) >= 0.5
            if alike or common / min(len(runs[one]), len(runs[other])) >= 0.8:
                colour = [colour[other] if c == colour[one] else c for c in colour]
    expected = [[at for at in range(count) if colour[at] == c] for c in dict.fromkeys(colour)]
    assert groups_of([task(str(n), text) for n, text in enumerate(texts)]) == expected


def test_copies_beyond_number_are_connected() -> None:
    source = prose(1)
    texts = [f"{source} {n}" for n in range(5 * MAX_PAIRED)]
    groups = groups_of([task(str(n), text) for n, text in enumerate(texts)])
    assert len(groups) == 1


def test_a_shared_opening_is_no_duplicate() -> None:
    opening = prose(1, 40)
    assert not list(near_duplicates([f"{opening} {prose(seed)}" for seed in range(2, 30)]))


@examples(15)
@given(st.integers(0, 10**6), st.integers(5, 40))
def test_the_check_finds_nothing_after_a_split(seed: int, count: int) -> None:
    """Tasks share documents, excerpts, changed copies and questions in any combination."""
    chance = random.Random(seed)
    sources = [prose(n) for n in range(count)]
    tasks: list[Task] = []
    for number in range(count):
        source = chance.choice(sources)
        form = chance.choice([source, source.upper(), changed(source, 50), source[:700]])
        answer = chance.choice(["yes", "no", str(number)])
        tasks.append(task(str(number), form, question=f"Q{chance.randrange(count)}", answer=answer))
    try:
        split = split_by_document(tasks, share=0.3, seed=seed)
    except ConfigError:
        assert max(map(len, groups_of(tasks))) > 0.3 * count
        return
    assert not find_leaks(split.train, split.held_out).leaks
    assert sorted(t.id for t in split.train + split.held_out) == sorted(t.id for t in tasks)
    assert 0 < len(split.held_out) <= 0.3 * count


def test_domains_are_held_out_in_proportion() -> None:
    tasks = [
        task(f"{name}{n}", prose(n + 100 * (name == "b")), domain=name)
        for name, size in (("a", 60), ("b", 20))
        for n in range(size)
    ]
    split = split_by_document(tasks, share=0.1)
    domains = [t.domain for t in split.held_out]
    assert (domains.count("a"), domains.count("b")) == (6, 2)
    again = split_by_document(tasks, share=0.1)
    assert again == split != split_by_document(tasks, share=0.1, seed=1)


def test_generated_tasks_split_without_a_leak() -> None:
    tasks = list(generate_tasks(300, seed=1, levels=[1, 2]))
    split = split_by_document(tasks, share=0.2)
    assert len(split.held_out) >= 45
    assert not find_leaks(split.train, split.held_out).leaks


def test_a_document_of_all_tasks_cannot_be_held_out() -> None:
    tasks = [task(str(n), "The terms that all have in common.", prose(n)) for n in range(9)]
    with pytest.raises(ConfigError, match=r"9 of 9 tasks share .* 0.txt is in 9"):
        split_by_document(tasks)
    with pytest.raises(ConfigError, match="too few"):
        split_by_document(tasks[:1])


def test_each_kind_of_leak_is_found() -> None:
    train = [
        task("t1", prose(1)),
        task("t2", prose(2)),
        task("t3", prose(3)),
        task("t4", prose(4), question="Who came?", answer="Ada"),
        task("t5", prose(5, 400)),
    ]
    middle = " ".join(prose(5, 400).split()[:120])
    held = [
        task("h1", prose(1)),
        task("h2", prose(2).upper()),
        task("h3", changed(prose(3), 40)),
        task("h4", prose(14), question="who came", answer="Ada."),
        task("h5", f"{middle} {prose(15, 60)}"),
        task("h6", prose(16), question="What of t1?", answer="else"),
    ]
    report = find_leaks(train, held)
    found = [
        (leak.kind, leak.held_out, leak.train) for leak in report.leaks if leak.kind != "n_grams"
    ]
    assert found == [
        ("document", "h1", "t1"),
        ("normalised", "h2", "t2"),
        ("near_duplicate", "h3", "t3"),
        ("question_and_answer", "h4", "t4"),
    ]
    copied = {leak.held_out for leak in report.leaks if leak.kind == "n_grams"}
    assert copied == {"h1", "h2", "h3", "h5"}
    assert report.overlaps["h6"] == 0
    assert report.repeated_questions == 2
    assert report.leaking_tasks == 5
    strict = {leak.held_out for leak in find_leaks(train, held, max_overlap=0.7).leaks}
    assert strict == {"h1", "h2", "h3", "h4"}
