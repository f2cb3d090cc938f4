"""Task families of software, one per program."""

from __future__ import annotations

from functools import partial

from sandbox_tui.core.evals.pocket.problem import Family
from sandbox_tui.core.evals.pocket.software import money_programs, text_programs, time_programs
from sandbox_tui.core.evals.pocket.software.repair import repair

PROGRAMS = (
    time_programs.INTERVALS,
    money_programs.LEDGER,
    text_programs.NUMERALS,
    time_programs.WORKDAYS,
    text_programs.PARAGRAPHS,
    money_programs.TARIFF,
    text_programs.CALCULATOR,
    time_programs.TASKS,
    text_programs.RECORDS,
    money_programs.STOCK,
    time_programs.CACHE,
    text_programs.PATTERNS,
)

FAMILIES: dict[str, Family] = {program.source: partial(repair, program) for program in PROGRAMS}
