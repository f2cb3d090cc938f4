r"""The last `\boxed{}` of a text, whether nested, escaped, cut off or repeated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.scorers.boxed import last_boxed, without_thinking

BALANCED = st.recursive(
    st.text("ab1 ,.\\frac^_", max_size=6).map(lambda text: text.replace("\\", "")),
    lambda inner: st.tuples(inner, inner).map(lambda two: f"{two[0]}{{{two[1]}}}"),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r"\boxed{42}", "42"),
        (r"so \boxed{1}, no, \boxed{2}.", "2"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{ x }", "x"),
        (r"\fbox{1} \boxed{2}", "2"),
        (r"\boxed {3}", "3"),
        (r"\boxed{\boxed{5}}", "5"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\boxed{\left\{ x \right.}", r"\left\{ x \right."),
        (r"\boxed{}", ""),
        (r"\boxed{1} and then \boxed{2 + ", "1"),
        (r"\boxed{1", None),
        ("42", None),
        ("", None),
        ("}}}{{{", None),
        (r"}\boxed{7}{", "7"),
        ("\\boxed{a\nb}", "a\nb"),
        ("boxed{1}", None),
        (r"\boxed{\text{B}}", r"\text{B}"),
        ("\\", None),
        (r"\\boxed{1}", None),
    ],
)
def test_what_is_in_the_box(text: str, content: str | None) -> None:
    assert last_boxed(text) == content


@given(BALANCED, st.text("ab{ ", max_size=8), st.text("ab} ", max_size=8))
def test_a_balanced_box_is_found_between_any_text(inside: str, before: str, after: str) -> None:
    assert last_boxed(f"{before}\\boxed{{{inside}}}{after}") == inside.strip()


@given(st.text("\\boxed{} 1", max_size=60))
def test_no_text_is_an_error_and_the_content_is_of_the_text(text: str) -> None:
    found = last_boxed(text)
    assert found is None or found in text


def test_a_text_of_openings_costs_no_more_than_any_other() -> None:
    assert last_boxed(r"\boxed{" * 200_000) is None
    assert last_boxed(r"\boxed{" * 100_000 + "}" * 100_000) == ""


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("<think>A</think> B", "B"),
        ("A </think>x</think>B", "B"),
        ("B", "B"),
        ("<think>A", "<think>A"),
    ],
)
def test_thinking_is_not_the_answer(text: str, after: str) -> None:
    assert without_thinking(text) == after
