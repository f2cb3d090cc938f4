"""Asks before a change of the settings removes rules of the policy, which users write by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

RULES = "policy.rules"


def confirm_removed_rules(name: str, chosen: Any, *, yes: bool) -> str:
    """Ask whether to remove the rules of the config file that a new value leaves out.

    Args:
        name: of the setting that changes; only that of the rules can remove any.
        chosen: its new value; None if it is unset.
        yes: whether to remove them without asking.

    Returns:
        What is removed, for the end of a sentence; empty for nothing.

    Raises:
        Declined: the answer is no.
        ConfigError: the file is not TOML, or there is nobody to ask.
    """
    if name != RULES:
        return ""
    from sandbox_tui.core.config.settings import config_file
    from sandbox_tui.tui.cli.settings.confirm import confirm

    left_out = _left_out(chosen or ())
    if not left_out:
        return ""
    rules = "1 rule" if left_out == 1 else f"{left_out} rules"
    if not yes:
        confirm(f"Remove {rules} from {config_file()}?", "Nothing was changed")
    return f"; {rules} removed"


def _left_out(chosen: Sequence[Any]) -> int:
    """Return how many rules of the file are not among these."""
    import msgspec

    from sandbox_tui.core.config.settings import config_file, read_toml
    from sandbox_tui.core.policy.rules import Rule

    table: Any = read_toml(config_file())[1].get("policy")
    rules: Any = cast(dict[str, Any], table).get("rules") if isinstance(table, dict) else None
    count = 0
    for rule in cast(list[Any], rules) if isinstance(rules, list) else ():
        try:
            count += msgspec.convert(rule, Rule) not in chosen
        except msgspec.ValidationError:
            count += 1
    return count
