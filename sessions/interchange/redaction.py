"""Redaction: finds secrets by their form and blanks them before a session is exported.

In texts, every secret becomes the same mask, which does not tell its length. In terminal output,
streamed replies and file contents, every character of a secret becomes `*` instead: columns, sizes
and line breaks stay as they were recorded. Terminal output and streamed replies are searched as a
whole, so that a secret split across two chunks is found too.
"""

from __future__ import annotations

import dataclasses
import html
import json
import re
import shlex
import urllib.parse
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.secret_names import is_secret_name
from sandbox_tui.core.events import types as e

MASK = "********"
"""Stands for a secret in a text."""

MIN_SECRET_CHARS = 8
"""Shortest environment value that is treated as a secret."""

_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=\x1b\[\dm)|(?<=\x1b\[\d\dm)|(?<=\x1b\[\d;\d\dm))"
"""Start of a word, including after a JSON escape or a colour sequence."""

_DIGIT = r"(?=[\w+/=.-]{0,200}\d)"

_PREFIXED = "|".join(
    (
        rf"sk-{_DIGIT}[\w-]{{16,}}",  # OpenAI, Anthropic, OpenRouter
        r"gh[pousr]_\w{30,}|github_pat_\w{22,}",
        r"glpat-[\w-]{20,}",
        r"hf_[A-Za-z0-9]{30,}",
        r"(?:AKIA|ASIA)[0-9A-Z]{16}",
        r"AIza[\w-]{35}",
        r"xox[abeprs]-[\w-]{10,}",
        r"npm_[A-Za-z0-9]{36}|pypi-AgEI[\w-]{20,}",
        r"(?:sk|rk|pk)_(?:live|test)_\w{16,}",
        r"(?:gsk|nvapi|r8|xai)[_-][\w-]{30,}",
        r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}",  # JSON web tokens
    )
)

_WHOLE = re.compile(
    rf"{_START}(?:{_PREFIXED})"
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s:,.]|\\[nr]){0,20000}"
)
_PARTS = (
    re.compile(r"(?<=://)[^\s/:@\"']{1,100}:([^\s/@\"'\\]{3,200})@"),
    re.compile(rf"(?i){_START}(?:bearer|basic)[ \t]{{1,3}}({_DIGIT}[\w.~+/=-]{{20,}})"),
    re.compile(
        r"(?i)(?:api_?-?key|access_?key|secret|token|passwd|password)[\w-]{0,20}\\?[\"']?"
        rf"[ \t]{{0,3}}[=:][ \t]{{0,3}}\\?[\"']?"
        rf"({_DIGIT}(?=[\w+/=.-]{{0,200}}[A-Za-z])[\w+/=.-]{{12,}})"
    ),
)
_NOT_NEWLINE = re.compile(r"[^\r\n]")
_ASTERISKS = re.compile(rb"\*{3,}")


def secrets_of(environment: Mapping[str, str]) -> list[str]:
    """Return the values of variables whose names mark them as secret."""
    return [
        value
        for name, value in environment.items()
        if len(value) >= MIN_SECRET_CHARS and is_secret_name(name)
    ]


def _forms_of(secret: str) -> set[str]:
    """Return the forms that a value takes in commands, URLs and documents."""
    quoted = {
        shlex.quote(secret).removeprefix("'").removesuffix("'"),
        secret.replace("'", "'\\''"),
        re.sub(r'(["\\$`])', r"\\\1", secret),  # within double quotes
        re.sub(r"([^\w@%+=:,./-])", r"\\\1", secret),  # in the format of printf %q
    }
    parse = urllib.parse
    encoded = {parse.quote(secret), parse.quote(secret, safe=""), parse.quote_plus(secret)}
    encoded |= {re.sub("%..", lambda found: found[0].lower(), form) for form in encoded}
    forms = {secret, html.escape(secret), *quoted, *encoded}
    for _ in range(2):  # JSON, and JSON within JSON
        forms |= {
            json.dumps(form, ensure_ascii=ascii_)[1:-1]
            for form in forms
            for ascii_ in (False, True)
        }
    return {form for form in forms if len(form) >= MIN_SECRET_CHARS}


class Redactor:
    """Blanks secrets.

    Args:
        secrets: values to blank everywhere, in addition to everything that looks like a secret.

    Attributes:
        found: number of secrets redacted so far.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.found = 0
        self._short: set[int] = set()
        values = {secret for secret in secrets if len(secret) >= MIN_SECRET_CHARS}
        known = sorted({form for secret in values for form in _forms_of(secret)}, key=len)
        self._known = _any_of(known)
        as_bytes = [secret.encode("utf-8", "replace") for secret in known]
        for code in ("utf-16-le", "utf-16-be"):
            as_bytes += [secret.encode(code, "replace") for secret in values]
        as_bytes.sort(key=len)
        self._known_bytes = _any_of([data.decode("latin-1") for data in as_bytes])

    def text(self, text: str) -> str:
        """Return the text with every secret replaced by the same mask."""
        return self._redacted(text, self._known, _mask)

    def part(self, text: str) -> str:
        """Return a text made of recorded parts with every secret redacted; its length stays the
        same."""
        return self._redacted(text, self._known, _blank)

    def data(self, data: bytes) -> bytes:
        """Return the data with every secret redacted; its length stays the same."""
        return self._redacted(data.decode("latin-1"), self._known_bytes, _blank).encode("latin-1")

    def events(self, events: Sequence[e.AnyEvent]) -> list[e.AnyEvent]:
        """Return the events with every secret redacted, including those that span several
        events."""
        done = [self._event(event) for event in events]
        self._streams(events, done)
        return done

    def masks_in(self, data: bytes) -> int:
        """Return how many redacted secrets stand in what was written: rows of asterisks as long as
        a mask, or as short as a secret that was redacted."""
        if not self.found:
            return 0
        lengths = (match.end() - match.start() for match in _ASTERISKS.finditer(data))
        return sum(length >= len(MASK) or length in self._short for length in lengths)

    def _redacted(
        self, text: str, known: re.Pattern[str] | None, hide: Callable[[str], str]
    ) -> str:
        def hidden(secret: str) -> str:
            self.found += 1
            mask = hide(secret)
            if len(mask) < len(MASK):
                self._short.add(len(mask))
            return mask

        def whole(match: re.Match[str]) -> str:
            return hidden(match[0])

        def group(match: re.Match[str]) -> str:
            if not match[1].strip("*"):  # already redacted
                return match[0]
            start, end = match.start(1) - match.start(), match.end(1) - match.start()
            return match[0][:start] + hidden(match[1]) + match[0][end:]

        if known is not None:
            text = known.sub(whole, text)
        text = _WHOLE.sub(whole, text)
        for pattern in _PARTS:
            text = pattern.sub(group, text)
        return text

    # --- events

    def _event(self, event: e.AnyEvent) -> e.AnyEvent:
        if isinstance(event, e.TerminalOutput | e.TerminalInput | e.ModelDelta):
            return event
        return cast(e.AnyEvent, self.value(event))

    def value(self, value: Any) -> Any:
        """Redact every secret in nested structs, dataclasses, dicts, lists and text."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            fields = cast(dict[str, Any], value)
            return {self.value(name): self.value(field) for name, field in fields.items()}
        if isinstance(value, list | tuple):
            items = [self.value(item) for item in cast(Sequence[Any], value)]
            return tuple(items) if isinstance(value, tuple) else items
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {f.name: self.value(getattr(value, f.name)) for f in dataclasses.fields(value)}
            return dataclasses.replace(value, **fields)
        if isinstance(value, msgspec.Struct):
            names = value.__struct_fields__
            return msgspec.structs.replace(
                value, **{name: self.value(getattr(value, name)) for name in names}
            )
        return value

    def _streams(self, events: Sequence[e.AnyEvent], done: list[e.AnyEvent]) -> None:
        outputs: dict[tuple[str, str], list[int]] = {}
        deltas: dict[tuple[int, str, int], list[int]] = {}
        for at, event in enumerate(events):
            if isinstance(event, e.TerminalOutput | e.TerminalInput):
                outputs.setdefault((event.kind, event.terminal), []).append(at)
            elif isinstance(event, e.ModelDelta):
                deltas.setdefault((event.step, event.channel, event.index), []).append(at)
        for positions in outputs.values():
            pieces = [cast(e.TerminalOutput, events[at]).data for at in positions]
            redacted = _split_like(self.data(b"".join(pieces)), pieces)
            for at, piece in zip(positions, redacted, strict=True):
                done[at] = msgspec.structs.replace(events[at], data=piece)
        for positions in deltas.values():
            texts = [cast(e.ModelDelta, events[at]).text for at in positions]
            redacted = _split_like(self.part("".join(texts)), texts)
            for at, text in zip(positions, redacted, strict=True):
                done[at] = msgspec.structs.replace(events[at], text=text)


def _mask(secret: str) -> str:
    return MASK


def _blank(secret: str) -> str:
    return _NOT_NEWLINE.sub("*", secret)


def _any_of(known: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(re.escape, reversed(known)))) if known else None


def _split_like(joined: Any, pieces: Sequence[Any]) -> list[Any]:
    """Split `joined` into pieces as long as those in `pieces`."""
    ends = list(accumulate(map(len, pieces)))
    return [joined[end - len(piece) : end] for end, piece in zip(ends, pieces, strict=True)]
