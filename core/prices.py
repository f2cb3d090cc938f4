"""What a reply costs, where the model's price is known."""

from __future__ import annotations

import functools
from typing import Any

from .events import Usage


def cost(model: str, usage: Usage) -> float | None:
    """US dollars of one reply, or None where nobody has told us the price.

    Prices come from the `genai-prices` package, installed as the extra `prices`; without it, and
    for models served by oneself, the cost is unknown, which is not the same as nothing.
    """
    prices = _library()
    if prices is None:
        return None
    tokens = prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens,
    )
    try:
        return float(prices.calc_price(tokens, model_ref=model).total_price)
    except LookupError:
        return None


@functools.cache
def _library() -> Any:
    try:
        import genai_prices  # pyright: ignore
    except ImportError:
        return None
    return genai_prices
