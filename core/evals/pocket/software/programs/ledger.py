"""A bank's ledger. All amounts are whole cents.

run(operations) starts without accounts and carries out operations, lists of words and amounts:

- ["open", name]: a new account with a balance of 0; rejected if the name is taken.
- ["pay", name, amount]: money is paid in; rejected if the amount is not above 0.
- ["take", name, amount]: money is paid out. A balance may fall to -LIMIT and no lower; if it is
  below 0 afterwards, FEE is charged on top (the fee alone may push the balance below -LIMIT).
- ["move", name, other, amount]: as "take" from the first account and "pay" to the second one;
  rejected as a whole if either part would be, and if both are the same account.
- ["interest", percent]: every positive balance grows by so many percent, rounded down to cents.

An operation on an account that does not exist is rejected. A rejected operation changes nothing.
The result is a list: a table of names and balances, and the number of rejected operations.
"""

from __future__ import annotations

from typing import Any

LIMIT = 500
FEE = 25


def run(operations: list[list[Any]]) -> list[Any]:
    balances: dict[str, int] = {}
    rejected = 0
    for kind, *details in operations:
        if not _carry_out(balances, kind, details):
            rejected += 1
    return [balances, rejected]


def _carry_out(balances: dict[str, int], kind: str, details: list[Any]) -> bool:
    if kind == "open":
        if details[0] in balances:
            return False
        balances[details[0]] = 0
        return True
    if kind == "interest":
        for name, balance in balances.items():
            if balance > 0:
                balances[name] = balance + balance * details[0] // 100
        return True
    *names, amount = details
    if any(name not in balances for name in names) or amount <= 0:
        return False
    if kind == "pay":
        balances[names[0]] += amount
        return True
    if kind == "move" and names[0] == names[1]:
        return False
    if balances[names[0]] - amount < -LIMIT:
        return False
    balances[names[0]] -= amount
    if balances[names[0]] < 0:
        balances[names[0]] -= FEE
    if kind == "move":
        balances[names[1]] += amount
    return True
