"""Parses search queries: words, "phrases", and filters.

All words must match; `-word` must not. A word also matches longer words that it begins; one without
letters and digits, which no index contains, is looked for as it is typed. Filters
narrow the search, and with one of them, excluded words alone leave out sessions:

    model:qwen outcome:failed tag:todo tool:bash tokens>5000 "no such file"

`#todo` is short for `tag:todo`, since lists show tags that way; in quotes it is searched as words.
"""

from __future__ import annotations

import datetime
import difflib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sandbox_tui.sessions.search.number_filters import (
    NUMBER_FILTERS,
    NumberFilter,
    number_filter,
)
from sandbox_tui.sessions.search.query_filters import ENDINGS, FILTERS, IS
from sandbox_tui.sessions.search.unknown_filters import looks_like_filter, remark_on_unknown

MAX_TERMS = 32
MAX_QUERY_CHARS = 2000
"""Maximum number of characters of a query that are read."""

_TERM = re.compile(
    r'(?P<minus>-?)"(?P<phrase>[^"]*)"?'
    r'|(?P<named>[A-Za-z_]+(?::|[<>]=?))"(?P<quoted>[^"]*)"?'
    r"|(?P<word>\S+)"
)
_NAMED = re.compile(r"(-?)([A-Za-z_]+)(:|[<>]=?)(.*)")
_TAG = re.compile(r"(-?)#(\w.*)", re.DOTALL)
_DAYS = re.compile(r"(\d{1,5})d\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions on sessions; None means no condition.

    Attributes:
        model, tool: a part of the name, ignoring case.
        outcome: why it ended, or a part of that (see `outcomes_meant`); `failed` is any end except
            `submitted`, and `running` and `interrupted` match sessions that have not ended.
        tag: a tag, or how tags begin.
        after, before: seconds since the epoch; `before` is exclusive.
        numbers: conditions on numbers; all must hold.
        is_sample: whether it belongs to an evaluation or a training.
    """

    model: str | None = None
    outcome: str | None = None
    tag: str | None = None
    tool: str | None = None
    after: float | None = None
    before: float | None = None
    numbers: tuple[NumberFilter, ...] = ()
    is_sample: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A parsed query.

    Attributes:
        match: an FTS5 expression, with all words quoted; empty if there are none.
        excluded: without words that must match, an FTS5 expression for texts that a session must
            not contain; empty if there is none.
        literals, excluded_literals: the same for words without letters and digits, such as emoji,
            as they are typed; a text must contain all of the former and none of the latter.
        filters: conditions on sessions.
        mistakes: a sentence for each part that is wrong, and therefore left out.
        remarks: the mistakes, and a sentence for each part that may not do what was intended.
    """

    match: str = ""
    excluded: str = ""
    literals: Sequence[str] = ()
    excluded_literals: Sequence[str] = ()
    filters: Filters = Filters()
    mistakes: Sequence[str] = ()
    remarks: Sequence[str] = ()

    @property
    def has_words(self) -> bool:
        """Whether the query has words that must match."""
        return bool(self.match or self.literals)

    @property
    def has_terms(self) -> bool:
        """Whether the query has any words or filters."""
        return self.has_words or self.filters != Filters()


def parse_query(text: str) -> Query:
    """Parse a query; never raises."""
    included: list[str] = []
    excluded: list[str] = []
    literals: list[str] = []
    excluded_literals: list[str] = []
    mistakes: list[str] = []
    unknown: list[re.Match[str]] = []
    filters = Filters()
    for term in list(_TERM.finditer(_plain(text)))[:MAX_TERMS]:
        minus, phrase, word = term["minus"], term["phrase"], term["word"]
        if phrase is None:
            filter_ = _NAMED.fullmatch(_spelled_out(word or f"{term['named']}{term['quoted']}"))
            if filter_ is not None and _is_filter(filter_):
                filters, mistake = _with_filter(filters, filter_)
                mistakes += [mistake] if mistake else []
                continue
            unknown += [filter_] if filter_ is not None and looks_like_filter(filter_) else []
            word = word or f"{term['named']}{term['quoted']}"
            minus, phrase = _signed(word)
            phrase = phrase.replace('"', " ")
        if not _is_indexed(phrase):
            if phrase.strip() not in ("", "-"):  # the beginning of a word that is excluded
                (excluded_literals if minus else literals).append(phrase.strip())
            continue
        found = f'"{phrase.strip()}"' + ("" if word is None else "*")
        (excluded if minus else included).append(found)
    unwanted = " OR ".join(excluded)
    alone = not (included or literals) and filters == Filters()
    if alone and (excluded or excluded_literals):
        mistakes.append("Add a word or a filter to search for: excluded words alone match nothing.")
        unwanted, excluded_literals = "", []
    joined = " AND ".join(included)
    if unwanted and included:
        joined, unwanted = f"({joined}) NOT ({unwanted})", ""
    return Query(
        match=joined,
        excluded=unwanted,
        literals=literals,
        excluded_literals=excluded_literals,
        filters=filters,
        mistakes=mistakes,
        remarks=[*mistakes, *remark_on_unknown(unknown)],
    )


def _signed(word: str) -> tuple[str, str]:
    """Return the sign of a word and the rest; an arrow, as in `->`, excludes nothing."""
    rest = word[1:]
    excludes = word[:1] == "-" and rest and (_is_indexed(rest) or not rest.isascii())
    return ("-", rest) if excludes else ("", word)


def _is_indexed(text: str) -> bool:
    """Return whether the index contains any character of a text: its tokens are made of letters,
    digits and private characters (https://www.sqlite.org/fts5.html, section 4.3.1)."""
    categories = map(unicodedata.category, text)
    return any(category[0] in "LN" or category == "Co" for category in categories)


def outcomes_meant(value: str) -> list[str]:
    """Return the outcomes that begin with a value, which may be half typed; if there are none,
    those that contain it."""
    word = value.lower().replace(" ", "_")
    beginning = [outcome for outcome in ENDINGS if outcome.startswith(word)]
    return beginning or [outcome for outcome in ENDINGS if word in outcome]


def _plain(text: str) -> str:
    """Replace NUL, lone surrogates and typographic quotes, which an index never contains."""
    text = text[:MAX_QUERY_CHARS].replace("\0", " ")
    text = text.replace("“", '"').replace("”", '"').replace("„", '"')
    return text.encode("utf-8", "replace").decode()


# --- filters


def _spelled_out(word: str) -> str:
    """Return the filter that a word is short for; other words as they are."""
    short = _TAG.fullmatch(word)
    return word if short is None else f"{short[1]}tag:{short[2]}"


def _is_filter(match: re.Match[str]) -> bool:
    """Return whether this is a filter: only those of numbers take a sign other than a colon."""
    name = match[2].lower()
    return name in (FILTERS if match[3] == ":" else NUMBER_FILTERS)


def _with_filter(filters: Filters, match: re.Match[str]) -> tuple[Filters, str]:
    """Add a filter; also return a sentence if it is wrong."""
    name, value = match[2].lower(), match[4].strip('"')
    if match[3] != ":":
        value = match[3] + value
    if name == "is" and value:
        if value.lower() not in IS:
            meant = f" Did you mean outcome:{value}?" if value.lower() in ENDINGS else ""
            return filters, f"is takes {FILTERS[name]}, not {value}.{meant}"
        return replace(filters, is_sample=(value.lower() == "sample") != bool(match[1])), ""
    if match[1]:
        return filters, f"A filter cannot be negated: {match[0]}."
    usage = f"{name} takes {FILTERS[name]}"
    if not value.strip("<>="):
        return filters, f"{usage}."
    if name in ("after", "before"):
        day = _day(value)
        if day is None:
            return filters, f"{usage}, not {value}."
        return replace(filters, **{name: day}), ""
    if name in NUMBER_FILTERS:
        found = number_filter(name, value)
        if found is None:
            return filters, f"{usage}, not {value}."
        return replace(filters, numbers=(*filters.numbers, found)), ""
    if name == "outcome" and not outcomes_meant(value):
        return filters, f"No session ends with {value}{_outcomes_instead(value)}."
    return replace(filters, **{name: value}), ""


def _outcomes_instead(value: str) -> str:
    close = difflib.get_close_matches(value.lower().replace(" ", "_"), ENDINGS, 1)
    return f" (did you mean {close[0]}?)" if close else f": outcome takes {', '.join(ENDINGS)}"


def _day(value: str) -> float | None:
    """Parse a date (2026-11-21) or time in ISO 8601, local unless it has an offset, or `today` and
    the like."""
    today = datetime.datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    ago = {"today": 0, "yesterday": 1}.get(value.lower())
    if ago is None and (days := _DAYS.match(value.lower())):
        ago = int(days[1])
    try:
        if ago is not None:
            return (today - datetime.timedelta(days=ago)).timestamp()
        return datetime.datetime.fromisoformat(value).astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        return None
