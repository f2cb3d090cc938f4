"""Tasks to repair a program with bugs, given some failing tests; the other tests stay hidden."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem
from sandbox_tui.core.evals.pocket.software.catalogue import Program, renamed

MAX_VISIBLE_TESTS = 8

_TEXTS = (
    "The input file {file} {does}. The docstring at its top says what it should do, but it has "
    "bugs, and tests in the input file {tests} fail. Correct the program.",
    "Somebody broke the input file {file}, which {does}. Its docstring is right; the code below "
    "it no longer keeps to it. Run the tests in the input file {tests} with python3 -m unittest, "
    "find what is wrong and mend it.",
    "A program that {does} is in the input file {file}. Several callers complain that it does not "
    "do what its docstring promises. The input file {tests} shows some of the cases. Make the "
    "program do what the docstring says, in these cases and in all others.",
    "In the input file {tests} there are tests for the input file {file}, a program that {does}. "
    "Not all of them pass. Repair the program according to its docstring, which has the last word.",
)
_ANSWERS = (
    "Your answer is the full text of the corrected {file}, and nothing else. It is judged by "
    "further tests of the behaviour that the docstring describes.",
    "Answer with the whole source of {file} as it should be, without any remarks. Tests that you "
    "have not seen decide, all of them in line with the docstring.",
    "Give the complete corrected source of {file} as your answer. Keep its functions' names; more "
    "tests than the ones you see are run on it.",
)


def repair(program: Program, draw: Draw, level: int) -> Problem:
    """A program with as many bugs as its level. Size: bugs times lines."""
    names = program.names(draw)
    right = program.with_constants(program.text(), draw)
    calls = program.calls(draw)
    expected = outcomes(right, calls)
    bugs = _bugs(draw, program, right, level, calls, expected)
    broken = right
    for bug in bugs:
        broken = broken.replace(bug.good, bug.bad)
    shown = _shown(draw, bugs, calls, expected, outcomes(broken, calls))
    hidden = [i for i in range(len(calls)) if i not in shown] + shown
    module = draw.one_of(program.modules)
    calls = [renamed(call, names) for call in calls]
    source, tests = f"{module}.py", f"test_{module}.py"
    text = f"{draw.one_of(_TEXTS)} {draw.one_of(_ANSWERS)}"
    visible = _test_file(module, [calls[i] for i in shown], [expected[i] for i in shown])
    return Problem(
        text=text.format(file=source, tests=tests, does=program.about),
        target=renamed(right, names),
        scorer="hidden_tests",
        size=len(bugs) * len(right.splitlines()),
        files={source: renamed(broken, names).encode(), tests: visible.encode()},
        metadata={
            "program": source,
            "calls": [calls[i] for i in hidden],
            "expected": [expected[i] for i in hidden],
        },
    )


def outcomes(source: str, calls: list[str]) -> list[dict[str, Any]]:
    """Return the outcome of each call: JSON-compatible `{"value": ...}`, or `{"raises": name}`."""
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, "program.py", "exec"), namespace)
    results: list[dict[str, Any]] = []
    for call in calls:
        try:
            results.append({"value": json.loads(json.dumps(eval(call, namespace)))})
        except Exception as error:  # noqa: BLE001 - bugs may raise anything
            results.append({"raises": type(error).__name__})
    return results


@dataclass(frozen=True, slots=True)
class _Bug:
    good: str
    bad: str
    fails: frozenset[int]


def _bugs(
    draw: Draw,
    program: Program,
    right: str,
    count: int,
    calls: list[str],
    expected: list[dict[str, Any]],
) -> list[_Bug]:
    """Choose bugs in different places, each of which makes a test fail on its own."""
    chosen: list[_Bug] = []
    for good, bad in draw.shuffled(program.bugs):
        if len(chosen) == count:
            break
        if all(good not in other.good and other.good not in good for other in chosen):
            alone = outcomes(right.replace(good, bad), calls)
            fails = frozenset(i for i, outcome in enumerate(alone) if outcome != expected[i])
            if fails:
                chosen.append(_Bug(good, bad, fails))
    return chosen


def _shown(
    draw: Draw,
    bugs: list[_Bug],
    calls: list[str],
    expected: list[dict[str, Any]],
    wrong: list[dict[str, Any]],
) -> list[int]:
    """Return the tests to show: one that fails for each bug, unless bugs compensate for each other,
    and others that pass."""
    places = draw.shuffled(range(len(calls)))
    failing = {i for i in places if wrong[i] != expected[i]}
    shown = [
        min((bug.fails & failing) or bug.fails, key=lambda i: (len(calls[i]), i)) for bug in bugs
    ]
    passing = [i for i in places if i not in failing and len(calls[i]) < 200]
    shown += passing[: MAX_VISIBLE_TESTS - len(shown)]
    return draw.shuffled(sorted(set(shown)))


def _test_file(module: str, calls: list[str], expected: list[dict[str, Any]]) -> str:
    lines = ["import unittest", "", f"from {module} import *", "", ""]
    lines.append(f"class {module.title().replace('_', '')}Test(unittest.TestCase):")
    for number, (call, outcome) in enumerate(zip(calls, expected, strict=True), 1):
        lines.append(f"    def test_{number}(self):")
        if "raises" in outcome:
            lines.append(f"        with self.assertRaises({outcome['raises']}):")
            lines.append(f"            {call}")
        else:
            lines.append(f"        self.assertEqual({call}, {outcome['value']!r})")
        lines.append("")
    return "\n".join([*lines, "", 'if __name__ == "__main__":', "    unittest.main()", ""])
