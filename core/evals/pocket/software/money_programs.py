"""Programs about money: a ledger, a tariff, a warehouse."""

from __future__ import annotations

from typing import Any

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.software.catalogue import Program


def _ledger_operations(draw: Draw) -> list[list[Any]]:
    names = ("ada", "bo", "cy")
    operations: list[list[Any]] = [["open", name] for name in names[: draw.integer(1, 3)]]
    for _ in range(draw.integer(5, 16)):
        name, other = draw.one_of(names), draw.one_of(names)
        amount = draw.integer(1, 600) if draw.chance(0.9) else draw.integer(-50, 0)
        kind = draw.one_of(("pay", "take", "take", "move", "interest", "open"))
        if kind == "open":
            operations.append(["open", name])
        elif kind == "interest":
            operations.append(["interest", draw.integer(1, 9)])
        else:
            operations.append([kind, name, *([other] if kind == "move" else []), amount])
    return operations


def _ledger_calls(draw: Draw) -> list[str]:
    calls = ["run([])", "run([['open', 'ada'], ['move', 'ada', 'ada', 10]])"]
    amounts = (99, 100, 101, 199, 200, 201, 299, 300, 301, 499, 500, 501, 800)
    calls += [f"run([['open', 'ada'], ['open', 'bo'], ['take', 'ada', {n}]])" for n in amounts]
    calls.append("run([['open', 'ada'], ['pay', 'ada', 70], ['take', 'ada', 70]])")
    calls.append("run([['open', 'ada'], ['pay', 'ada', 0], ['take', 'ada', 0]])")
    return calls + [f"run({_ledger_operations(draw)})" for _ in range(25)]


LEDGER = Program(
    source="ledger",
    about="keeps the accounts of a bank",
    modules=("ledger", "bank", "accounts"),
    renames={"run": ("settle", "replay"), "take": ("withdraw",), "pay": ("deposit",)},
    constants={"LIMIT": ("100", "200", "300", "500"), "FEE": ("15", "20", "25", "40")},
    bugs=(
        (
            "if details[0] in balances:\n            return False\n",
            "if False:\n            return False\n",
        ),
        (
            "            if balance > 0:\n                balances",
            "            if balance != 0:\n                balances",
        ),
        ("balance * details[0] // 100", "round(balance * details[0] / 100 + 0.5)"),
        ("or amount <= 0", "or amount < 0"),
        ('    if kind == "move" and names[0] == names[1]:\n        return False\n', ""),
        ("- amount < -LIMIT", "- amount <= -LIMIT"),
        ("- amount < -LIMIT", "- amount - FEE < -LIMIT"),
        ("if balances[names[0]] < 0:", "if balances[names[0]] <= 0:"),
        ("        balances[names[1]] += amount", "        balances[names[1]] += amount - FEE"),
        ("            rejected += 1", "            return [balances, rejected + 1]"),
    ),
    calls=_ledger_calls,
)


def _tariff_calls(draw: Draw) -> list[str]:
    calls = ["monthly([])", "longest([])", "fee(100, 99)", "longest([[5, 9], [10, 8]])"]
    short = (0, 1, 5, 9, 10, 11, 14, 15, 16, 19, 20, 21, 29, 30, 31, 60, 61)
    calls += [f"fee(600, {600 + minutes})" for minutes in short]
    for _ in range(8):
        start = draw.integer(0, 7 * 1_440)
        calls.append(f"fee({start}, {start + draw.integer(31, 500)})")
        calls.append(f"fee({start}, {start + draw.integer(1_440, 4_000)})")
        night = draw.integer(0, 5) * 1_440 + draw.one_of(
            (1_140, 1_199, 1_200, 1_201, 300, 359, 360)
        )
        calls.append(f"fee({night}, {night + draw.integer(50, 200)})")
    for _ in range(6):
        starts = [draw.integer(0, 9_000) for _ in range(draw.integer(8, 13))]
        stays = [[start, start + draw.one_of((3, 90, 90, 240, 700))] for start in starts]
        calls += [f"monthly({stays})", f"longest({stays})"]
    return calls


TARIFF = Program(
    source="tariff",
    about="computes what parking costs",
    modules=("parking", "tariff", "garage"),
    renames={"fee": ("charge", "price"), "monthly": ("bill", "invoice")},
    constants={
        "FREE": ("10", "15", "20", "30"),
        "HOUR": ("180", "250", "275", "320"),
        "DAY": ("1500", "1800", "2000"),
    },
    bugs=(
        (
            "if departure < arrival:\n"
            '        raise ValueError("the departure is before the arrival")\n'
            "    if",
            "if",
        ),
        ("<= FREE", "< FREE"),
        ("range(day, end, 60)", "range(day, end + 1, 60)"),
        ("range(day, end, 60)", "range(day, end - 59, 60)"),
        ("total += min(DAY, ", "total += max(DAY, "),
        ("time >= 20 * 60", "time > 20 * 60"),
        ("time < 6 * 60", "time <= 6 * 60"),
        ("amount > 0) >= 10", "amount > 0) > 10"),
        ("amount > 0) >= 10", "amount >= 0) >= 10"),
        ("departure - arrival > length", "departure - arrival >= length"),
        ("HOUR // 2 if", "HOUR / 2 if"),
        ("start % (24 * 60)", "start % (12 * 60)"),
    ),
    calls=_tariff_calls,
)


def _stock_events(draw: Draw) -> list[list[Any]]:
    events: list[list[Any]] = []
    for _ in range(draw.integer(10, 24)):
        item = draw.one_of(("nut", "pin"))
        kind = draw.one_of(("buy", "buy", "sell", "sell", "return", "scrap"))
        count = draw.integer(1, 6) if kind in ("buy", "sell") else draw.integer(1, 3)
        cost = draw.integer(10, 90) if kind == "buy" else draw.integer(80, 150)
        events.append([kind, item, count, *([cost] if kind in ("buy", "sell") else [])])
    return events


def _stock_calls(draw: Draw) -> list[str]:
    return ["run([])", *(f"run({_stock_events(draw)})" for _ in range(22))]


STOCK = Program(
    source="stock",
    about="keeps the books of a warehouse",
    modules=("stock", "warehouse", "goods"),
    renames={"run": ("balance", "books"), "scrap": ("discard", "dump")},
    constants={},
    bugs=(
        ("pieces += [rest[0]] * count", "pieces.insert(0, rest[0] * count)"),
        ("if count > len(pieces):", "if count >= len(pieces):"),
        ("pieces[:count], pieces[count:]", "pieces[-count:], pieces[:-count]"),
        (
            "            profit += rest[0] * count - sum(sold)",
            "            profit += rest[0] - sum(sold)",
        ),
        ("back = sold[len(sold) - count :]", "back = sold[:count]"),
        ("            sales[item] = (sold[: len(sold) - count], price)\n", ""),
        ("stock[item] = back + pieces", "stock[item] = pieces + back"),
        ("profit -= price * count - sum(back)", "profit -= price * count"),
        ("profit -= sum(pieces[kept:])", "profit -= sum(pieces[:kept])"),
        (
            "            stock[item] = pieces[:kept]",
            "            stock[item] = pieces[len(pieces) - kept :]",
        ),
        ("for item, pieces in stock.items() if pieces}", "for item, pieces in stock.items()}"),
    ),
    calls=_stock_calls,
)
