"""Maps server and connection errors to `ModelError`s with a sentence for the user.

The sentence never contains the key or a password from the address.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from sandbox_tui.core.base.errors import ContextOverflow, ModelError
from sandbox_tui.core.base.json_arguments import without_surrogates
from sandbox_tui.core.base.secret_names import is_secret_name
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.http.server_return import host_and_port

_OVERFLOW = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|max_model_len|max_?seq_?len"
    r"|maximum (?:input|prompt|model) length|exceeds? the (?:available )?context"
    r"|too many (?:input )?tokens|longer than the model|input is too long|prompt is too long"
    r"|input token count|reduce the length|must have less than \d+ tokens"
    r"|tokens['`]? \+ ['`]?max_new_tokens|at most \d+ completion tokens",
    re.IGNORECASE,
)
"""How OpenAI, vLLM, SGLang, llama.cpp, TGI and others report that the conversation, or the
requested reply, is too long."""

_NO_MODEL = re.compile(
    r"model\b.{0,120}?\b(?:not found|not exist|unknown|not available|not loaded)"
    r"|(?:unknown|invalid|no such) model",
    re.IGNORECASE,
)
_LOADING = re.compile(
    r"loading (?:the )?model[.\s…]*|(?:the )?model\b.{0,200}?\bis (?:still |currently )?"
    r"(?:being loaded|loading)\b.*",
    re.IGNORECASE,
)
"""How llama.cpp ("Loading model") and TGI report, with status 503, that the model is not loaded
yet. A report that loading failed does not match."""

_SECONDS = re.compile(r"\s*[0-9]+(?:\.[0-9]*)?\s*")

_UNAVAILABLE = 503
"""Service Unavailable (RFC 9110, 15.6.4)."""

MAX_RETRY_AFTER_SECONDS = 366 * 86_400.0
"""Maximum accepted value of a Retry-After header."""

_NOT_RETRYABLE = {"UnsupportedProtocol", "LocalProtocolError", "InvalidURL"}
"""Connection errors caused by the address or the key."""


def to_model_error(error: Exception, settings: ModelSettings, key: str) -> ModelError:
    """Map an error that occurred before the reply started."""
    import openai

    where = without_secrets(settings.base_url) or "the OpenAI API"
    if isinstance(error, openai.APIStatusError):
        return _status(error, settings, key)
    if isinstance(error, openai.APITimeoutError):
        return ModelError(f"The model server at {where} did not answer in time.", retryable=True)
    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    if isinstance(cause, ModelError):  # our own error, already complete
        return cause
    words = redacted(str(cause or ""), key)
    if type(cause).__name__ in _NOT_RETRYABLE:
        return ModelError(
            f"The address {where} cannot be used ({words}). It should look like "
            "http://localhost:8000/v1."
        )
    if isinstance(error, openai.APIConnectionError):
        return ModelError(
            f"The model server at {where} cannot be reached ({words or 'no connection'}). "
            "Is it running, and the address right?",
            retryable=True,
            is_away=True,
            server=host_and_port(settings.base_url),
        )
    return stream_error(error, key)


def stream_error(error: Exception, key: str) -> ModelError:
    """Map an error that occurred while the reply was being read: the connection broke."""
    words = redacted(str(error) or type(error).__name__, key)
    return ModelError(f"The model's reply was interrupted ({words}).", retryable=True)


def broken_off() -> ModelError:
    """Return the error for a reply whose connection ended before it did."""
    return ModelError("The model's reply ended in the middle.", retryable=True)


def inband_error(body: Mapping[str, Any], key: str) -> ModelError | None:
    """Return the error that a server reports inside a response with status 200, if any."""
    inner = body.get("error") or (body if body.get("object") == "error" else None)
    if not inner:
        return None
    words, status = redacted(_words(body), key), _code(inner)
    if _is_overflow(inner, words):
        return _overflow(words, status)
    if _is_loading(status, words):
        return _loading(None)
    return ModelError(
        f"The server stopped with an error: {words}",
        status=status,
        retryable=status is None or _is_retryable(status),
    )


def was_disconnected(error: Exception) -> bool:
    """Return whether the server closed the connection before it sent anything.

    A connection kept open from the previous response may be closed just as it is used again (RFC
    9112, 9.3.1).
    """
    return type(error.__cause__).__name__ in ("RemoteProtocolError", "ReadError", "WriteError")


def too_long() -> ModelError:
    """Return the error for a reply beyond all limits, which is the server's fault."""
    return ModelError("The model's reply was too long; it was cut off.")


def names_no_model(error: ModelError) -> bool:
    """Return whether the request may have failed because the server does not have the model."""
    return error.status == 404 or (error.status == 400 and bool(_NO_MODEL.search(str(error))))


def with_offered_models(
    error: ModelError, name: str, offered: Sequence[str], key: str
) -> ModelError:
    """Return an error about the model's name, extended with the server's model names."""
    if not offered or name in offered:
        return error
    names = ", ".join(redacted(one, key)[:80] for one in offered[:8]) + (
        ", ..." if len(offered) > 8 else ""
    )
    return ModelError(f"The server has no model {name!r}. It has: {names}.", status=error.status)


def rejection_text(error: Any) -> str:
    """Return the server's message if it rejected a request as invalid; empty for all other
    errors."""
    words = _words(error.body)
    about_template = error.status_code == 500 and "template" in words.lower()
    if error.status_code not in (400, 415, 422, 501) and not about_template:
        return ""
    return "" if _is_overflow(error.body, words) else words.lower()


def without_secrets(url: str) -> str:
    """Remove user name, password and query from an address."""
    scheme, separator, rest = url.partition("?")[0].partition("://")
    if not separator:
        return scheme.rpartition("@")[2]
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


def without_keys(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Mask values named like secrets, so that request fields can be recorded."""
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, str) and is_secret_name(name):
            value = "…"
        elif isinstance(value, dict):
            value = without_keys(cast(dict[str, Any], value))
        kept[name] = value
    return kept


def redacted(words: str, key: str) -> str:
    """Mask keys in a text, remove credentials from addresses, and shorten it to one line."""
    words = without_surrogates(words)
    if len(key) > 4:
        words = words.replace(key, "…")
    words = re.sub(r"\b(?:sk|key|pk)-[A-Za-z0-9_*-]{8,}", "…", words)
    return " ".join(re.sub(r"://[^/\s@]+@", "://", words).split())[:500]


def _status(error: Any, settings: ModelSettings, key: str) -> ModelError:
    status = int(error.status_code)
    words = redacted(_words(error.body), key)
    if status in (400, 413, 422) and _is_overflow(error.body, words):
        return _overflow(words, status)
    if _is_loading(status, words):
        return _loading(_retry_after(error))
    advice = {
        401: f"The server rejected the API key. Check {settings.api_key_env}.",
        403: f"The server denied access. Check {settings.api_key_env} and its permissions.",
        404: (
            f"The server does not know the model {settings.name!r}, or the address "
            f"{without_secrets(settings.base_url) or 'of the OpenAI API'} is wrong (…/v1)."
        ),
        429: "Too many requests, or a quota is used up.",
    }.get(status, f"The server returned an error ({status}).")
    return ModelError(
        f"{advice} It says: {words}" if words else advice,
        status=status,
        retryable=_is_retryable(status),
        retry_after=_retry_after(error),
    )


def _overflow(words: str, status: int | None) -> ContextOverflow:
    return ContextOverflow(
        f"The conversation no longer fits the model's context: {words}", status=status
    )


def _loading(retry_after: float | None) -> ModelError:
    return ModelError(
        "The server is loading its model.",
        status=_UNAVAILABLE,
        retryable=True,
        retry_after=retry_after,
        is_loading=True,
    )


def _is_loading(status: int | None, words: str) -> bool:
    return status == _UNAVAILABLE and bool(_LOADING.fullmatch(words))


def _is_overflow(body: Any, words: str) -> bool:
    """Return whether an error is about length, by the server's message or its error codes."""
    named = " ".join(str(_inner(body).get(field) or "") for field in ("code", "type"))
    return bool(_OVERFLOW.search(f"{words} {named}"))


def _is_retryable(status: int) -> bool:
    return status in (408, 409, 425, 429) or status >= 500


def _inner(body: Any) -> dict[str, Any]:
    """Return the object that describes an error, which some servers nest."""
    if not isinstance(body, dict):
        return {}
    fields = cast(dict[str, Any], body)
    error = fields.get("error")
    return cast(dict[str, Any], error) if isinstance(error, dict) else fields


def _code(error: Any) -> int | None:
    """Return the HTTP status in the body of an error that arrived inside a stream."""
    fields = _inner(error)
    for value in (fields.get("code"), fields.get("status")):
        if isinstance(value, int | str) and str(value).isdigit() and 400 <= int(value) < 600:
            return int(value)
    return None


def _words(body: Any) -> str:
    """Return the text of an error's body; empty for a web page."""
    inner: Any = body
    for key in ("error", "message", "detail"):
        if isinstance(inner, dict):
            fields = cast(dict[str, Any], inner)
            inner = fields.get(key) or fields
    text = str(inner or "")[:2000]
    return "" if "<html" in text[:500].lower() else " ".join(text.split())[:500]


def _retry_after(error: Any) -> float | None:
    """Return the seconds from a Retry-After header (RFC 9110, 10.2.3: a number, or a date)."""
    value = error.response.headers.get("retry-after")
    if not value:
        return None
    if _SECONDS.fullmatch(value):
        return min(float(value), MAX_RETRY_AFTER_SECONDS)
    try:
        wait = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(0.0, wait), MAX_RETRY_AFTER_SECONDS)
