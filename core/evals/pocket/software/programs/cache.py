"""A cache that forgets.

run(operations) starts with an empty cache for SIZE keys and returns the list of answers to all
"get" operations. The operations are lists; each takes one second, the first happens at second 0:

- ["put", key, value]: stores the value, in place of an older one of this key. If there are more
  than SIZE keys now, the key that was used least recently is dropped.
- ["get", key]: answers with the value, or None if the key is not there.
- ["drop", key]: removes the key if it is there.
- ["wait", seconds]: time passes, in addition to the one second that the operation takes.

Putting a key uses it, and so does getting it. A value is gone when LIFE seconds have passed since
it was put; getting it does not make it live longer. Values that are gone take up no room.
"""

from __future__ import annotations

from typing import Any

SIZE = 3
LIFE = 20


def run(operations: list[list[Any]]) -> list[Any]:
    values: dict[str, tuple[Any, int]] = {}  # the least recently used key first
    answers: list[Any] = []
    now = 0
    for kind, *details in operations:
        values = {key: (v, at) for key, (v, at) in values.items() if now - at < LIFE}
        if kind == "put":
            values.pop(details[0], None)
            values[details[0]] = (details[1], now)
            if len(values) > SIZE:
                del values[next(iter(values))]
        elif kind == "get":
            found = values.pop(details[0], None)
            answers.append(None if found is None else found[0])
            if found is not None:
                values[details[0]] = found
        elif kind == "drop":
            values.pop(details[0], None)
        elif kind == "wait":
            now += details[0]
        now += 1
    return answers
