"""The type of options that take a duration: seconds, or such as 90s, 30m or 1h30m."""

from __future__ import annotations

import click

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.quantities import seconds_of


class Duration(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]
    """More than 0 seconds, as a number or with units."""

    name = "duration"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds.

        Raises:
            click.BadParameter: the value is no duration, or not more than 0.
        """
        try:
            seconds = float(value) if isinstance(value, (int, float)) else seconds_of(str(value))
        except ConfigError as error:
            self.fail(str(error), param, ctx)
        if not seconds > 0:
            self.fail(f"{str(value)!r} is not more than 0 seconds.", param, ctx)
        return seconds


DURATION = Duration()
