"""Says which extra of this program brings a package that is missing."""

from __future__ import annotations

from importlib.util import find_spec

from sandbox_tui.core.base.errors import ConfigError


def missing_extra(what: str, extra: str = "evals") -> ConfigError:
    """The error for a missing package.

    Args:
        what: that needs the package, such as `The scorer rouge`.
        extra: of this program.
    """
    return ConfigError(f"{what} needs more packages: pip install 'sandbox-tui[{extra}]'.")


def require(package: str, what: str, extra: str = "evals") -> None:
    """Nothing, where a package is installed; it is not imported.

    Args:
        package: its name when imported.
        what: that needs it.
        extra: of this program that brings it.

    Raises:
        ConfigError: it is not.
    """
    if find_spec(package) is None:
        raise missing_extra(what, extra)
