"""Task families of mathematics."""

from __future__ import annotations

from sandbox_tui.core.evals.pocket.mathematics import arithmetic, counting, number_theory
from sandbox_tui.core.evals.pocket.problem import Family

FAMILIES: dict[str, Family] = {
    "product": arithmetic.product,
    "modular_power": number_theory.modular_power,
    "coins": counting.coins,
    "expression": arithmetic.expression,
    "divisors": number_theory.divisors,
    "routes": counting.routes,
    "fractions": arithmetic.fractions,
    "primes": number_theory.primes,
    "tolls": counting.tolls,
    "bases": arithmetic.bases,
    "remainders": number_theory.remainders,
    "subsets": counting.subsets,
    "expansion": arithmetic.expansion,
    "recurrence": number_theory.recurrence,
    "numbers_file": counting.numbers_file,
    "determinant": arithmetic.determinant,
    "digit_sums": number_theory.digit_sums,
    "exactly_some": number_theory.exactly_some,
}
