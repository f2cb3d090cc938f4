"""Documents in the prompt, for the modes in which the model does not read them as files."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from sandbox_tui.core.models.usage_estimate import BYTES_PER_TOKEN

CUT = "[… cut here: {missing} of {size} bytes of this document are left out …]"
NOT_TEXT = "[a file of {size} bytes that is not text]"

_COSTS = bytes(BYTES_PER_TOKEN if byte in b"0123456789" else 1 for byte in range(256))
"""What each byte counts for: many tokenizers make a token of every digit."""


@dataclass(frozen=True, slots=True)
class InlinedDocuments:
    """Documents as text of a prompt.

    Attributes:
        text: all of them, each between two lines that name it; empty where there are none.
        cut: names of those that are not in it as a whole.
    """

    text: str
    cut: tuple[str, ...]


def inline_documents(files: Mapping[str, bytes], window: int | None) -> InlinedDocuments:
    """The documents, one after the other.

    Args:
        files: by name.
        window: tokens they may take together, estimated as one for each digit and one for four
            other bytes; longer ones lose their end, shared out so that short documents stay whole.
            None: all of them.
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
    """The cost each may have: short documents whole, the rest shared out evenly."""
    if budget is None or sum(sizes.values()) <= budget:
        return dict(sizes)
    shares: dict[str, int] = {}
    left = max(0, budget)
    for place, name in enumerate(sorted(sizes, key=lambda name: sizes[name])):
        shares[name] = min(sizes[name], left // (len(sizes) - place))
        left -= shares[name]
    return shares


def _body(data: bytes, share: int) -> tuple[str, bool]:
    """The text of a document within its share, and whether that is all of it."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_TEXT.format(size=len(data)), False
    size = bisect_right(list(accumulate(_costs(data))), share)
    if size == len(data):
        return data.decode("utf-8"), True
    kept = data[:size].decode("utf-8", "ignore")
    return f"{kept}\n{CUT.format(missing=len(data) - size, size=len(data))}", False
