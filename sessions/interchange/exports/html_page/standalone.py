"""Builds self-contained pages from a template, with a matching content security policy.

A page loads nothing. Its policy allows only the style sheet and the scripts whose hashes it lists.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib import resources


def resource(package: str, name: str) -> str:
    """Return the text of a file in a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def palette() -> str:
    """Return the style sheet with the colours for dark and light mode."""
    return resource(__package__ or "", "palette.css")


def policy(style: str, script: str = "") -> str:
    """Return a content security policy for a page with this style sheet and this script, if any.

    The script may show images that it creates itself; none can be loaded.
    """
    scripts = f"; script-src '{_hash(script)}'; img-src blob:" if script else ""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'{scripts}"
        "; base-uri 'none'; form-action 'none'"
    )


def fill(template: str, fields: Mapping[str, str]) -> str:
    """Return the template with its fields filled in verbatim; fields inside a value are not
    expanded."""
    pieces: list[str] = []
    while template:
        at, name = min(
            ((template.find(name), name) for name in fields if name in template),
            default=(len(template), ""),
        )
        pieces += (template[:at], fields.get(name, ""))
        template = template[at + len(name) :]
    return "".join(pieces)


def _hash(text: str) -> str:
    """Return a hash as a source expression of a content security policy (CSP 3, 2.3.1)."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
