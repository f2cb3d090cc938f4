"""What the journeys have driven so far and what is missing: `python -m tests.journeys.coverage`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.journeys.everything import everything
from tests.journeys.person import EVIDENCE


def driven(folder: Path = EVIDENCE) -> dict[str, set[str]]:
    """Return the names found in all logs, by kind of evidence."""
    found: dict[str, set[str]] = {}
    for what, name in _lines(folder):
        found.setdefault(what, set()).add(name)
    return found


def _lines(folder: Path) -> Iterator[tuple[str, str]]:
    for log in sorted(folder.glob("*.log")):
        for line in log.read_text().splitlines():
            parsed = json.loads(line)
            yield parsed["what"], parsed["name"]


def missing(folder: Path = EVIDENCE) -> list[str]:
    """List everything that no journey has driven."""
    seen = driven(folder)
    return [
        f"{what} {name}".rstrip() or what
        for what, names in everything().items()
        for name in sorted(names - seen.get(what, set()))
    ]


if __name__ == "__main__":
    gone = missing()
    print("\n".join(gone))
    print(len(gone), "not driven")
