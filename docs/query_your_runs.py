"""Write the output of each query on docs/query-your-runs.md, from a real database.

python docs/query_your_runs.py sessions.db
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

PAGE = Path(__file__).with_name("query-your-runs.md")
_QUERY = re.compile(r"```sql\n(?P<query>.*?)```\n\n```text\n(?P<output>.*?)```", re.DOTALL)


def queries(page: str) -> Iterator[tuple[str, str]]:
    """Yield the queries on the page, each with the output below it."""
    for found in _QUERY.finditer(page):
        yield found["query"], found["output"]


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Format rows as lines of text below the column names."""
    lines = [tuple(columns), *(tuple("" if v is None else str(v) for v in row) for row in rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(columns))]
    lines.insert(1, tuple("-" * width for width in widths))
    padded = ("  ".join(f"{v:{w}}" for v, w in zip(line, widths, strict=True)) for line in lines)
    return "".join(f"{line.rstrip()}\n" for line in padded)


def main() -> None:
    """Run the queries on the database named on the command line and rewrite the page."""
    connection = sqlite3.connect(f"{Path(sys.argv[1]).absolute().as_uri()}?mode=ro", uri=True)

    def filled(found: re.Match[str]) -> str:
        cursor = connection.execute(found["query"])
        output = table([column[0] for column in cursor.description], cursor.fetchall())
        return f"```sql\n{found['query']}```\n\n```text\n{output}```"

    PAGE.write_text(_QUERY.sub(filled, PAGE.read_text()))


if __name__ == "__main__":
    main()
