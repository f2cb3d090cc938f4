"""Says which extra of this program brings a package that is missing."""

from __future__ import annotations

from sandbox_tui.core.base.errors import ConfigError


def missing_extra(what: str, extra: str = "evals") -> ConfigError:
    """The error for a missing package.

    Args:
        what: that needs the package, such as `The scorer rouge`.
        extra: of this program.
    """
    return ConfigError(f"{what} needs more packages: pip install 'sandbox-tui[{extra}]'.")
