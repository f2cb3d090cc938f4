"""Detects calls in a reply that are only quoted, and so are not run.

A call does not count if it is

- in reasoning, or before a closing reasoning tag that was never opened;
- in a code fence of a language not in `CALL_LANGUAGES`, or among other text in a fence;
- in a block quote, between backticks or quotation marks, or in an HTML comment;
- in a paragraph that calls it an example, before or after it, or below a line that ends with a
  colon and does so (`INTRODUCES`, `EXPLAINS`);
- without its own markers (JSON, Pythonic) on a line with other words;
- after an observation, an end of turn or another party's turn that the model made up;
- after a call that cannot be parsed, since the end of that call is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Collection

CALL_LANGUAGES = frozenset(
    ("", "json", "json5", "jsonc", "xml", "tool", "tool_call", "tool_calls", "tool_code")
)
"""Languages of the code fences in which models write calls they mean."""

CODE_LANGUAGE = "tool_code"
"""The language whose calls have no brackets."""

INTRODUCES = re.compile(
    r"\bfor (?:example|instance)\b|\be\.\s?g\.|\b(?:an|one|another) example\b"
    r"|\bexamples?\b[^.!?\n]{0,40}:|\bhypothetical|\bwould (?:look|be written|have been)\b"
    r"|\blooks? like (?:this|so|that)\b|\bthe (?:format|syntax|form) (?:is|looks)\b"
    r"|\b(?:not|never|don't|don’t|mustn't|shouldn't) (?:run|execute|call)\b"
    r"|\b(?:instead of|rather than)\s*:?\s*$|\b(?:you|I|they) (?:wrote|said|sent)\b[^.!?\n]{0,40}:"
    r"|<(?:example|sample|quote|blockquote|pre|code)\b",
    re.IGNORECASE,
)
"""Phrases before a call that is only shown."""

EXPLAINS = re.compile(
    r"\b(?:is|are|was|were) (?:just |only |merely |simply )?(?:an? )?(?:examples?|illustrations?)\b"
    r"|\b(?:for|as an) (?:example|instance|illustration)\b|\bhypothetical"
    r"|\bis (?:how|what) (?:you|one|it|that|a|the)\b|\bwould (?:look|be written|have been)\b"
    r"|\b(?:not|don't|don’t|shouldn't) (?:run|execute|call) (?:it|this|that|the)\b"
    r"|\bis not (?:a|meant|to be)\b",
    re.IGNORECASE,
)
"""Phrases after a call that was only shown."""

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“", "‹": "›"}

BACKTICKS = "between backticks"
BLOCK_QUOTE = "in a block quote"
QUOTATION_MARKS = "between quotation marks"
COMMENT = "in a comment"
EXAMPLE = "as an example"
EXPLANATION = "next to other words on its line"
FENCE = "in a code fence of another language, or next to other text in a fence"
THOUGHT = "in your thoughts"
UNREADABLE = "behind another call that cannot be read"
MADE_UP = "behind a result or a turn that you made up"


def mention_of(tools: Collection[str]) -> re.Pattern[str]:
    """Return a pattern that matches something like a call of one of these tools."""
    names = "|".join(re.escape(name) for name in tools) or "(?!)"
    return re.compile(
        rf"""["']name["']\s{{0,20}}:\s{{0,20}}["'](?:{names})["']"""
        rf"""|(?:<function=|invoke name=)["']?(?:{names})\b"""
        rf"|\b(?:{names})\(\s{{0,20}}\w{{1,40}}\s?=|functions\.(?:{names})\b"
        rf"|(?:(?:sep|begin)｜>|TOOL_CALLS\]|<tool_call>)\s?(?:{names})\b"
    )
