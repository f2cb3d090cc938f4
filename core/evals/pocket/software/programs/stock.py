"""A warehouse that sells its oldest goods first. Amounts of money are cents.

run(events) takes a list of events, each a list, in order:

- ["buy", item, count, price]: so many pieces arrive that cost price each.
- ["sell", item, count, price]: so many pieces are sold at price each, the oldest first. If fewer
  are there, none is sold and the sale is noted as missed.
- ["return", item, count]: a customer brings back pieces of the latest sale of this item that was
  not missed, at most as many as were sold in it and not yet brought back; more are refused as a
  whole. They become the oldest pieces, at the cost of the last pieces of that sale, and the price
  is paid back.
- ["scrap", item, count]: the newest pieces are thrown away, at most as many as are there.

The result is a list of three: the profit (what sales brought, less what was paid back, less the
cost of the pieces sold and not brought back, less the cost of the pieces thrown away), a table of
the pieces in stock by item (items without any are left out), and the number of missed sales and
refused returns.
"""

from __future__ import annotations

from typing import Any


def run(events: list[list[Any]]) -> list[Any]:
    stock: dict[str, list[int]] = {}  # the cost of every piece, the oldest first
    sales: dict[
        str, tuple[list[int], int]
    ] = {}  # cost of every piece of the latest sale; its price
    profit = failed = 0
    for kind, item, count, *rest in events:
        pieces = stock.setdefault(item, [])
        if kind == "buy":
            pieces += [rest[0]] * count
        elif kind == "sell":
            if count > len(pieces):
                failed += 1
                continue
            sold, stock[item] = pieces[:count], pieces[count:]
            sales[item] = (sold, rest[0])
            profit += rest[0] * count - sum(sold)
        elif kind == "return":
            sold, price = sales.get(item, ([], 0))
            if count > len(sold):
                failed += 1
                continue
            back = sold[len(sold) - count :]
            sales[item] = (sold[: len(sold) - count], price)
            stock[item] = back + pieces
            profit -= price * count - sum(back)
        elif kind == "scrap":
            kept = max(0, len(pieces) - count)
            profit -= sum(pieces[kept:])
            stock[item] = pieces[:kept]
    return [profit, {item: len(pieces) for item, pieces in stock.items() if pieces}, failed]
