"""Inlines documents into the prompt, for modes in which the model does not read them as files."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from sandbox_tui.core.models.usage_estimate import BYTES_PER_TOKEN

CUT = "[… cut here: {missing} of {size} bytes of this document are left out …]"
NOT_TEXT = "[a file of {size} bytes that is not text]"

_COSTS = bytes(BYTES_PER_TOKEN if byte in b"0123456789" else 1 for byte in range(256))
"""Cost of each byte value: many tokenizers spend one token on every digit."""


@dataclass(frozen=True, slots=True)
class InlinedDocuments:
    """Documents rendered as prompt text.

    Attributes:
        text: all documents, each between two lines that name it; empty if there are none.
        cut: names of the documents that are not included in full.
    """

    text: str
    cut: tuple[str, ...]


def inline_documents(files: Mapping[str, bytes], window: int | None) -> InlinedDocuments:
    """Render documents one after the other.

    Args:
        files: contents by name.
        window: token budget for all documents together, estimated as one token per digit and one
            per four other bytes. Documents over budget lose their end; the budget is shared so
            that short ones stay whole. None: no limit.
    """
    budget = None if window is None else window * BYTES_PER_TOKEN
    shares = _shares({name: sum(_costs(data)) for name, data in files.items()}, budget)
    parts: list[str] = []
    cut: list[str] = []
    for number, (name, data) in enumerate(files.items(), 1):
        body, whole = _body(data, shares[name])
        if not whole:
            cut.append(name)
        parts.append(f"BEGIN DOCUMENT {number}: {name}\n{body}\nEND DOCUMENT {number}")
    return InlinedDocuments("\n\n".join(parts), tuple(cut))


def _costs(data: bytes) -> bytes:
    return data.translate(_COSTS)


def _shares(sizes: Mapping[str, int], budget: int | None) -> dict[str, int]:
    """Return the budget of each document: short ones stay whole, the rest is shared evenly."""
    if budget is None or sum(sizes.values()) <= budget:
        return dict(sizes)
    shares: dict[str, int] = {}
    left = max(0, budget)
    for place, name in enumerate(sorted(sizes, key=lambda name: sizes[name])):
        shares[name] = min(sizes[name], left // (len(sizes) - place))
        left -= shares[name]
    return shares


def _body(data: bytes, share: int) -> tuple[str, bool]:
    """Return the text of a document cut to its share, and whether it is complete."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_TEXT.format(size=len(data)), False
    size = bisect_right(list(accumulate(_costs(data))), share)
    if size == len(data):
        return data.decode("utf-8"), True
    kept = data[:size].decode("utf-8", "ignore")
    return f"{kept}\n{CUT.format(missing=len(data) - size, size=len(data))}", False
