"""Programs about time: slots, dates, plans, caches."""

from __future__ import annotations

from typing import Any

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.software.catalogue import Program


def _slots(draw: Draw, count: int) -> list[list[int]]:
    starts = [draw.integer(0, 150) for _ in range(count)]
    return [[start, start + draw.integer(1, 25)] for start in starts]


def _interval_calls(draw: Draw) -> list[str]:
    calls = ["merged([])", "busiest([])", "free([], 3, 9)", "free([[0, 50]], 10, 40)"]
    for _ in range(12):
        slots = _slots(draw, draw.integer(2, 9))
        calls.append(f"merged({slots})")
        calls.append(f"free({slots}, {draw.integer(0, 60)}, {draw.integer(70, 160)})")
        calls.append(f"busiest({slots})")
    tight = [f"merged([[{gap}, 20], [{20 + gap}, 60], [30, 40]])" for gap in range(1, 13)]
    return calls + tight


INTERVALS = Program(
    source="intervals",
    about="merges time slots and finds free time between them",
    modules=("slots", "intervals", "timetable"),
    renames={"merged": ("joined", "unified"), "busiest": ("peak", "crowded"), "free": ("gaps",)},
    constants={"GAP": ("2", "3", "4", "5", "6", "8", "10")},
    bugs=(
        ("in sorted(slots):\n", "in slots:\n"),
        ("<= GAP", "< GAP"),
        ("max(result[-1][1], end)", "end"),
        ("at = max(at, stop)", "at = stop"),
        ("min(start, end)", "start"),
        ("if at >= end:\n            break", "if start >= end:\n            return gaps"),
        ("start <= time < end", "start <= time <= end"),
        ("running > best", "running >= best"),
        ("    if at < end:\n        gaps.append([at, end])\n", ""),
    ),
    calls=_interval_calls,
)


def _day(draw: Draw) -> str:
    year = draw.one_of((1900, 1999, 2000, 2023, 2024, 2025, 2100))
    return f"{year}-{draw.integer(1, 12):02}-{draw.integer(1, 28):02}"


def _workday_calls(draw: Draw) -> list[str]:
    calls = [
        f"weekday('{date}')"
        for date in ("2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "2024-13-01")
    ]
    calls += ["weekday('2024-04-31')", "weekday('2024-00-10')", "weekday('2100-03-01')"]
    for _ in range(5):
        first = _day(draw)
        year, month = int(first[:4]), int(first[5:7])
        last = f"{year + month // 12}-{month % 12 + 1:02}-{draw.integer(1, 28):02}"
        calls += [
            f"weekday('{first}')",
            f"working_days('{first}', '{last}')",
            f"working_days('{last}', '{first}')",
            f"working_days('{first}', '{first}')",
            f"due('{first}', {draw.integer(1, 30)})",
        ]
    for year in (2023, 2024, 2025, 2026):
        calls.append(f"due('{year}-12-2{draw.integer(0, 6)}', {draw.integer(1, 8)})")
        calls.append(f"working_days('{year}-04-2{draw.integer(0, 9)}', '{year}-05-03')")
        calls.append(f"due('{year}-02-2{draw.integer(3, 8)}', {draw.integer(2, 6)})")
    return calls


WORKDAYS = Program(
    source="workdays",
    about="counts working days between dates",
    modules=("workdays", "calendar_days", "office_days"),
    renames={"due": ("deadline", "ready_on"), "working_days": ("days_at_work", "count_days")},
    constants={
        "HOLIDAYS": (
            '("01-01", "05-01", "12-25")',
            '("01-01", "07-04", "12-25", "12-26")',
            '("01-06", "05-01", "10-03")',
            '("01-01", "05-02", "08-15", "12-24")',
        )
    },
    bugs=(
        ("(year % 100 != 0 or year % 400 == 0)", "year % 100 != 0"),
        ("_number(last) + 1)", "_number(last))"),
        ("weekday(date) < 5", "weekday(date) <= 5"),
        (" and date[5:] not in HOLIDAYS", " and date[:5] not in HOLIDAYS"),
        ("(_number(date) - 1) % 7", "_number(date) % 7"),
        ("not 1 <= day <= _length(year, month)", "not 1 <= day <= 31"),
        ("for m in range(1, month))", "for m in range(1, month + 1))"),
        ("        if _works(_date(number)):\n            days -= 1", "        days -= 1"),
    ),
    calls=_workday_calls,
)


def _plan(draw: Draw, count: int) -> dict[str, list[Any]]:
    names = draw.some(("ax", "bolt", "cog", "dye", "edge", "film", "gear", "hub", "ink"), count)
    plan = {
        name: [draw.integer(1, 6), sorted(draw.some(names[:i], draw.integer(0, min(i, 3))))]
        for i, name in enumerate(names)
    }
    return {name: plan[name] for name in draw.shuffled(names)}


def _plan_calls(draw: Draw) -> list[str]:
    loop: dict[str, Any] = {"one": [1, ["two"]], "two": [2, ["one"]], "three": [1, []]}
    empty: dict[str, Any] = {}
    lost: dict[str, Any] = {"one": [1, ["four"]]}
    calls = [f"{name}({plan})" for name in ("order", "finish") for plan in (empty, loop, lost)]
    for _ in range(13):
        plan = _plan(draw, draw.integer(3, 9))
        calls += [f"order({plan})", f"finish({plan})", f"critical({plan})"]
    return calls


TASKS = Program(
    source="tasks",
    about="plans tasks that depend on each other",
    modules=("plan", "project", "tasks"),
    renames={"order": ("sequence", "queue"), "critical": ("urgent", "tight")},
    constants={},
    bugs=(
        ("(-left[name][0], name)", "(left[name][0], name)"),
        ("(-left[name][0], name)", "name"),
        ("all(n in done for n in needs)", "all(n not in left for n in needs)"),
        ("days + max((ends[n] for n in needs), default=0)", "days + sum(ends[n] for n in needs)"),
        ("max(_ends(plan).values(), default=0)", "max(_ends(plan).values())"),
        ("in reversed(order(plan))", "in order(plan)"),
        ("latest[name] - days)", "latest[name] - plan[need][0])"),
        ("return sorted(name for name", "return list(name for name"),
        ("min(latest[need], latest[name] - days)", "latest[name] - days"),
    ),
    calls=_plan_calls,
)


def _cache_operations(draw: Draw) -> list[list[Any]]:
    operations: list[list[Any]] = []
    for _ in range(draw.integer(12, 30)):
        key = draw.one_of("abcdef")
        kind = draw.one_of(("put", "put", "put", "get", "get", "get", "drop", "wait"))
        if kind == "put":
            operations.append(["put", key, draw.integer(1, 99)])
        elif kind == "wait":
            operations.append(["wait", draw.integer(1, 9)])
        else:
            operations.append([kind, key])
    return [*operations, *(["get", key] for key in "abcdef")]


def _cache_calls(draw: Draw) -> list[str]:
    return ["run([])", *(f"run({_cache_operations(draw)})" for _ in range(25))]


CACHE = Program(
    source="cache",
    about="keeps a few values and forgets the others",
    modules=("cache", "memory", "store"),
    renames={"run": ("replay", "answers_of"), "drop": ("delete", "remove")},
    constants={"SIZE": ("2", "3", "4"), "LIFE": ("8", "12", "16", "20")},
    bugs=(
        ("now - at < LIFE", "now - at <= LIFE"),
        (
            "values.pop(details[0], None)\n            values[details[0]] = (details[1]",
            "values[details[0]] = (details[1]",
        ),
        ("len(values) > SIZE", "len(values) >= SIZE"),
        ("del values[next(iter(values))]", "del values[list(values)[-1]]"),
        ("found = values.pop(details[0], None)", "found = values.get(details[0])"),
        (
            "values[details[0]] = found",
            "values[details[0]] = (found[0], now)",
        ),
        ("            now += details[0]\n", "            now = details[0]\n"),
        ("        now += 1\n", '        now += kind != "wait"\n'),
    ),
    calls=_cache_calls,
)
