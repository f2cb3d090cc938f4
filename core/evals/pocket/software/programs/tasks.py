"""Plans tasks that depend on each other.

A plan is a table of names; each has a list [days, needs] of the days it takes (1 or more) and the
names of the tasks that must be over before it starts.

- order(plan): all names so that every task comes after those it needs. Whenever several could come
  next, the longest one does; of equally long ones the alphabetically first.
- finish(plan): the day on which everything is over, when the first tasks start on day 0, any number
  of tasks can run at once, and every task starts as early as possible; 0 for an empty plan.
- critical(plan): the names, in alphabetical order, of the tasks that cannot start one day later
  without making finish(plan) later.

All of them raise ValueError if a task needs itself, directly or not, or a name that is missing.
"""

from __future__ import annotations

from typing import Any

Plan = dict[str, list[Any]]


def order(plan: Plan) -> list[str]:
    done: list[str] = []
    left = dict(plan)
    while left:
        ready = [name for name, (_, needs) in left.items() if all(n in done for n in needs)]
        if not ready:
            raise ValueError("these tasks wait for each other")
        chosen = min(ready, key=lambda name: (-left[name][0], name))
        done.append(chosen)
        del left[chosen]
    return done


def _ends(plan: Plan) -> dict[str, int]:
    ends: dict[str, int] = {}
    for name in order(plan):
        days, needs = plan[name]
        ends[name] = days + max((ends[n] for n in needs), default=0)
    return ends


def finish(plan: Plan) -> int:
    return max(_ends(plan).values(), default=0)


def critical(plan: Plan) -> list[str]:
    ends = _ends(plan)
    latest = dict.fromkeys(plan, finish(plan))
    for name in reversed(order(plan)):
        days, needs = plan[name]
        for need in needs:
            latest[need] = min(latest[need], latest[name] - days)
    return sorted(name for name in plan if latest[name] == ends[name])
