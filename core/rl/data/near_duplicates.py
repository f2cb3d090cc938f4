"""Finds documents that are nearly the same: most of their runs of five words are.

Documents that share runs are compared by the sets of all their runs: by Jaccard similarity, and by
containment, so that an excerpt counts as a duplicate of its source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

from sandbox_tui.core.rl.data.shingles import shingles

SHINGLE_WORDS = 5
MIN_JACCARD = 0.5
MIN_CONTAINMENT = 0.8

MAX_INDEXED = 4_000_000
"""Maximum size of the index; if there are more shingles, it keeps the same sample of all documents'
shingles."""

MAX_PAIRED = 8
"""Maximum number of documents that share a shingle for which every pair is compared; if more share
it, each is compared with the first and the next one."""

MAX_CACHED = 4_096


@dataclass(frozen=True, slots=True)
class NearDuplicatePair:
    """Two documents that are nearly the same.

    Attributes:
        first, second: positions of the documents, `first` being lower.
        similarity: share of common runs of words, in both together or in the shorter document.
    """

    first: int
    second: int
    similarity: float


def near_duplicates(
    texts: Sequence[str], *, jaccard: float = MIN_JACCARD, containment: float = MIN_CONTAINMENT
) -> Iterator[NearDuplicatePair]:
    """Yield pairs of texts that are nearly the same. A large group of copies yields not every pair,
    but enough pairs to connect all of them.

    Args:
        texts: the documents.
        jaccard: minimum similarity.
        containment: minimum share of the shorter text's runs that the longer one contains.
    """

    @lru_cache(MAX_CACHED)
    def cached(at: int) -> frozenset[int]:
        return shingles(texts[at], SHINGLE_WORDS)

    for one, other in sorted(_candidates(texts)):
        similarity = _similarity(cached(one), cached(other), jaccard, containment)
        if similarity is not None:
            yield NearDuplicatePair(one, other, similarity)


def _similarity(
    one: frozenset[int], other: frozenset[int], jaccard: float, containment: float
) -> float | None:
    """Return the similarity of two sets; None if it is too low."""
    common = len(one & other)
    alike = common / (len(one) + len(other) - common)
    contained = common / min(len(one), len(other))
    if alike >= jaccard:
        return alike
    return contained if contained >= containment else None


def _candidates(texts: Sequence[str]) -> set[tuple[int, int]]:
    """Return pairs of positions of texts that share a run of words."""
    pairs: set[tuple[int, int]] = set()
    for places in _index(texts).values():
        if len(places) <= MAX_PAIRED:
            pairs.update(combinations(places, 2))
        else:
            pairs.update(pairwise(places))
            pairs.update((places[0], other) for other in places[1:])
    return pairs


def _index(texts: Sequence[str]) -> Mapping[int, list[int]]:
    """Return the positions of texts by shingle."""
    words = sum(text.count(" ") + text.count("\n") for text in texts)
    every = 1 + words // MAX_INDEXED
    found: defaultdict[int, list[int]] = defaultdict(list)
    for at, text in enumerate(texts):
        runs = shingles(text, SHINGLE_WORDS)
        sample = [run for run in runs if run % every == 0]
        for run in sample or runs:
            found[run].append(at)
    return found
