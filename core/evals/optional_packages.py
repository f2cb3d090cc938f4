"""Errors for missing optional packages, which name the extra that installs them."""

from __future__ import annotations

from importlib.util import find_spec

from sandbox_tui.core.base.errors import ConfigError


def missing_extra(what: str, extra: str = "evals") -> ConfigError:
    """Return the error for a missing package.

    Args:
        what: feature that needs the package, such as `The scorer rouge`.
        extra: extra of this project that installs it.
    """
    return ConfigError(f"{what} needs more packages: pip install 'sandbox-tui[{extra}]'.")


def require(package: str, what: str, extra: str = "evals") -> None:
    """Check that a package is installed, without importing it.

    Args:
        package: import name.
        what: feature that needs it.
        extra: extra of this project that installs it.

    Raises:
        ConfigError: the package is not installed.
    """
    if find_spec(package) is None:
        raise missing_extra(what, extra)
