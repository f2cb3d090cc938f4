"""What the openai client raises, as a `ModelError` with a sentence for the person at the screen."""

from __future__ import annotations

import email.utils
import re
import time
from typing import Any, cast

from ..config import ModelSettings
from ..errors import ContextOverflow, ModelError, ModelIncomplete

_OVERFLOW = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|max_model_len"
    r"|maximum (?:input|prompt) length"
    r"|too many tokens|exceeds? the (?:available )?context|longer than the model|input is too long"
    r"|prompt is too long|reduce the length",
    re.IGNORECASE,
)
"""How OpenAI, vLLM, SGLang, llama.cpp and others word that the conversation is too long."""


def explain(error: Exception, settings: ModelSettings, api_key: str) -> ModelError:
    """The error to raise instead of `error`; the key is in none of its words."""
    import json

    import openai

    where = settings.base_url or "the hosted server"
    if isinstance(error, openai.APIStatusError):
        return _status(error, settings, api_key)
    if isinstance(error, openai.APITimeoutError):
        return ModelError(f"The model server at {where} did not answer in time.", retryable=True)
    if isinstance(error, openai.APIConnectionError):
        return ModelError(
            f"The model server at {where} cannot be reached. Is it running, and the address right?",
            retryable=True,
        )
    if isinstance(error, openai.APIError):
        words = _redacted(str(error), api_key)
        return ModelError(f"The server broke off with an error: {words}", retryable=True)
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return ModelIncomplete("A piece of the model's reply was not valid JSON.", retryable=True)
    words = _redacted(f"{type(error).__name__}: {error}", api_key)
    return ModelIncomplete(f"The model's reply broke off ({words}).", retryable=True)


def _status(error: Any, settings: ModelSettings, api_key: str) -> ModelError:
    status = int(error.status_code)
    words = _redacted(_body_words(error), api_key)
    if status in (400, 413, 422) and _OVERFLOW.search(words):
        return ContextOverflow(
            f"The conversation no longer fits the model's context: {words}", status=status
        )
    advice = {
        401: f"The server refuses the key. Check {settings.api_key_env}.",
        403: f"The server does not allow this. Check {settings.api_key_env} and its rights.",
        404: f"The server does not know this address or the model {settings.name!r}.",
        429: "The server is asked too often, or a quota is used up.",
    }.get(status, f"The server answered with an error ({status}).")
    return ModelError(
        f"{advice} It says: {words}" if words else advice,
        status=status,
        retryable=status in (408, 409, 425, 429) or status >= 500,
        retry_after=_retry_after(error),
    )


def _body_words(error: Any) -> str:
    inner: Any = error.body
    for key in ("error", "message", "detail"):
        if isinstance(inner, dict):
            fields = cast(dict[str, Any], inner)
            inner = fields.get(key, fields)
    text = str(inner or "")
    return "" if "<html" in text[:500].lower() else " ".join(text.split())[:500]


def _retry_after(error: Any) -> float | None:
    """Seconds a Retry-After header asks for (RFC 9110, 10.2.3: a number, or a date)."""
    value = error.response.headers.get("retry-after")
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _redacted(words: str, api_key: str) -> str:
    """Words without the key, and without what looks like one."""
    if len(api_key) > 4:
        words = words.replace(api_key, "…")
    return re.sub(r"\b(?:sk|key|pk)-[A-Za-z0-9_*-]{8,}", "…", words)[:600]
