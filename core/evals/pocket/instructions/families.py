"""Task families of instruction following."""

from __future__ import annotations

from sandbox_tui.core.evals.pocket.instructions import verses, word_rows
from sandbox_tui.core.evals.pocket.problem import Family

FAMILIES: dict[str, Family] = {
    "lengths": word_rows.lengths,
    "acrostic": verses.acrostic,
    "in_order": word_rows.in_order,
    "sentence": verses.sentence,
    "chain": word_rows.chain,
    "staircase": verses.staircase,
    "letter_budget": word_rows.letter_budget,
    "record": verses.record,
    "initials": word_rows.initials,
    "column": verses.column,
    "alternating": word_rows.alternating,
    "refrain": verses.refrain,
    "no_shared_letters": word_rows.no_shared_letters,
}
