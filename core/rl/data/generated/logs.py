"""Domain `logs`: lines written by services.

Level 1 is one log of a few lines, level 2 a longer one, level 3 the logs of several days; at level
4 the question is about one of the days.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level
from sandbox_tui.core.rl.data.generated import problems, words

_SERVICES = words.split_words(
    "billing cache login mail orders printer proxy queue search storage upload web"
)
_FAILURES = ("failed after {n} ms", "gave up on request {n}", "lost connection {n}", "error {n}")
_REST = ("answered in {n} ms", "finished request {n}", "opened connection {n}", "sent {n} bytes")
_FORMS = (
    "{time} {level} {service}: {text}",
    "[{time}] {service} {level} {text}",
    "{time} service={service} level={level} {text}",
)


@dataclass(frozen=True, slots=True)
class Line:
    """One log line; `day` identifies its file."""

    day: int
    time: str
    service: str
    level: str


@dataclass(frozen=True, slots=True)
class Logs:
    """Log lines, the files that hold them, and the first day."""

    lines: list[Line]
    files: dict[str, str]
    first: int


def write_logs(draw: Draw, level: int) -> Logs:
    """Write logs of the size for a level."""
    days = at_level(level, 1, 1, draw.integer(2, 3), draw.integer(3, 4))
    services = draw.some(_SERVICES, at_level(level, 2, 4, 4, 4))
    form = draw.one_of(_FORMS)
    first = draw.integer(0, 350)
    lines: list[Line] = []
    files: dict[str, str] = {}
    for day in range(days):
        count = at_level(level, 7, draw.integer(40, 80), draw.integer(30, 60), draw.integer(40, 70))
        seconds = sorted(words.distinct(draw, 0, 86_399, count))
        written: list[str] = []
        for second in seconds:
            failed = draw.chance(0.35)
            kind = "ERROR" if failed else draw.one_of(("INFO", "INFO", "WARN"))
            line = Line(day, _clock(second), draw.one_of(services), kind)
            text = draw.one_of(_FAILURES if failed else _REST).format(n=draw.integer(10, 9999))
            lines.append(line)
            written.append(form.format(time=line.time, level=kind, service=line.service, text=text))
        name = f"{words.date(first + day).lower().replace(' ', '-')}.log" if days > 1 else "day.log"
        files[name] = "".join(f"{one}\n" for one in written)
    return Logs(lines, files, first)


def _clock(second: int) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def _asked_about(draw: Draw, logs: Logs, level: int) -> tuple[list[Line], str]:
    """Choose the lines that a question is about, and describe them: lines of one day or of all
    days, sometimes only those after a time."""
    day = draw.one_of(logs.lines).day
    when = ("", "", " on all days together", f" on {words.date(logs.first + day)}")[level - 1]
    lines = [line for line in logs.lines if level < 4 or line.day == day]
    if draw.chance(0.2):
        return lines, when
    after = _clock(60 * draw.integer(0, 1000))
    return [line for line in lines if line.time > after], f" after {after}{when}"


def count(draw: Draw, level: int) -> Problem:
    """Lines of one service with one severity, or with any at level 1. Size: lines."""
    logs = write_logs(draw, level)
    lines, when = _asked_about(draw, logs, level)
    line = draw.one_of(lines or logs.lines)
    ours = [one for one in lines if one.service == line.service]
    if level == 1:
        question, value = f"How many lines did {line.service} write{when}?", len(ours)
    else:
        question = f"How many {line.level} lines did {line.service} write{when}?"
        value = sum(one.level == line.level for one in ours)
    return problems.number(question, value, logs.files, len(logs.lines))


def first(draw: Draw, level: int) -> Problem:
    """When a service first failed. Size: lines."""
    logs = write_logs(draw, level)
    day = draw.one_of(logs.lines).day
    failures = [line for line in logs.lines if line.day == day and line.level == "ERROR"]
    if not failures:
        return first(draw, level)
    service = draw.one_of(failures).service
    time = min(line.time for line in failures if line.service == service)
    when = f" on {words.date(logs.first + day)}" if level > 2 else ""
    question = f"At what time did {service} write its first ERROR line{when}?"
    return problems.exact(question, time, logs.files, len(logs.lines))


def noisiest(draw: Draw, level: int) -> Problem:
    """The service with the most errors. Size: lines."""
    logs = write_logs(draw, level)
    lines, when = _asked_about(draw, logs, level)
    ranked = Counter(line.service for line in lines if line.level == "ERROR").most_common()
    if len(ranked) < 2 or ranked[0][1] == ranked[1][1]:
        return noisiest(draw, level)
    question = f"Which service wrote the most ERROR lines{when}?"
    return problems.exact(question, ranked[0][0], logs.files, len(logs.lines))


FAMILIES = {"count": count, "first": first, "noisiest": noisiest}
