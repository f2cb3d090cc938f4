"""The name of a model as it is written, which may list several."""

from __future__ import annotations


def split_models(name: str) -> list[str]:
    """Return the models in a name that lists several, separated by commas; each one once."""
    return list(dict.fromkeys(filter(None, map(str.strip, name.split(",")))))


def without_empty_names(name: str) -> str:
    """Return a name that may list several models, without stray commas and blanks."""
    return ", ".join(split_models(name))
