"""The options for the budget of a whole evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sandbox_tui.tui.cli.options import added
from sandbox_tui.tui.cli.settings.dollars_option import DOLLARS
from sandbox_tui.tui.cli.settings.duration_option import DURATION

if TYPE_CHECKING:
    from sandbox_tui.sessions.store.tables.evals.budgets import Budget

NO_BUDGET = 0
"""The value of an option that takes a budget away."""


class _OrNone(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]
    """A value of another type, or `none` or 0."""

    def __init__(self, amount: click.ParamType[Any]) -> None:
        self.name = amount.name
        self.amount = amount

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Return the amount, or `NO_BUDGET`.

        Raises:
            click.BadParameter: the value is neither.
        """
        if str(value).strip().lower() in ("none", "0"):
            return NO_BUDGET
        return self.amount.convert(value, param, ctx)


_TOKENS = click.IntRange(1)

budget_options = added(
    click.option(
        "--budget-tokens",
        metavar="N",
        type=_TOKENS,
        help="Stop after this many tokens in total.",
    ),
    click.option(
        "--budget-cost",
        metavar="USD",
        type=DOLLARS,
        help="Stop after this many US dollars in total.",
    ),
    click.option(
        "--budget-time",
        metavar="TIME",
        type=DURATION,
        help="Stop after this time in total: seconds, or such as 30m or 8h.",
    ),
)
"""The options of a command that begins an evaluation."""

new_budget_options = added(
    click.option(
        "--budget-tokens",
        metavar="N",
        type=_OrNone(_TOKENS),
        help="Stop after this many tokens from now on; none: no such budget. Default: as before.",
    ),
    click.option(
        "--budget-cost",
        metavar="USD",
        type=_OrNone(DOLLARS),
        help="Stop after this many US dollars from now on, or none. Default: as before.",
    ),
    click.option(
        "--budget-time",
        metavar="TIME",
        type=_OrNone(DURATION),
        help="Stop after this time from now on (such as 30m), or none. Default: as before.",
    ),
)
"""The options of a command that resumes an evaluation."""


def budget_from(options: dict[str, Any], before: Budget) -> Budget:
    """Return the budget that the options choose; what they leave out is as before."""
    from sandbox_tui.sessions.store.tables.evals.budgets import Budget

    def chosen(name: str, now: Any) -> Any:
        given = options[name]
        return now if given is None else None if given == NO_BUDGET else given

    return Budget(
        tokens=chosen("budget_tokens", before.tokens),
        cost=chosen("budget_cost", before.cost),
        seconds=chosen("budget_time", before.seconds),
    )
