"""The cost of a reply, if the model's price is known."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from sandbox_tui.core.events.types import Usage

HOSTED = "https://api.openai.com/v1"
"""The server of models that are used without an address."""


def cost(model: str, base_url: str | None, usage: Usage) -> float | None:
    """US dollars of one reply, or None if the price is unknown.

    Prices come from the `genai-prices` package, installed as the extra `prices`. Without it, for
    self-hosted models, and if the server does not report token counts, the cost is unknown, which
    is not the same as zero.

    Args:
        model: the model's name.
        base_url: its server's address, which determines the price list; empty for the hosted one,
            None if there is no server.
        usage: the reply's token counts.
    """
    prices = _library()
    if prices is None or base_url is None or usage.estimated or usage == Usage():
        return None
    tokens = prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.input_tokens),
    )
    try:
        price = prices.calc_price(tokens, model_ref=model, provider_api_url=base_url or HOSTED)
        return float(price.total_price)
    except (LookupError, ValueError):
        return None


def is_known(model: str, base_url: str | None) -> bool:
    """Return whether `cost` knows the price of a model on this server."""
    return cost(model, base_url, Usage(input_tokens=1, output_tokens=1)) is not None


def why_unknown(model: str, *, counted: bool, instead: str = "token_limit") -> str:
    """Return why `cost` is None, and what to do, as the end of a sentence.

    Args:
        model: the model's name.
        counted: whether the server reported token counts.
        instead: the limit to use if the price is unknown.
    """
    if not counted:
        return "the server does not report token counts."
    if _library() is None:
        return "the price list is not installed: pip install 'sandbox-tui[prices]'."
    return f"the price of {model[:80]} on this server is unknown. Use {instead} instead."


def load() -> None:
    """Load the prices, if installed; otherwise the first `cost` does it, for half a second."""
    if _library() is not None:
        importlib.import_module("genai_prices.data_snapshot").get_snapshot()


@functools.cache
def _library() -> Any:
    try:
        import genai_prices  # pyright: ignore
    except ImportError:
        return None
    return genai_prices
