"""Matches names against patterns.

matches(pattern, name) tells whether a pattern covers the whole name:

- ? stands for any one character but "/".
- * stands for any number of characters but "/", also for none.
- ** stands for any number of characters, "/" among them, also for none.
- [abc] stands for one of the characters in it, [a-f] for one from a to f, [!abc] for one character
  but "/" that is not in it; ranges and single characters can be mixed. A "]" right after "[" or
  "[!" belongs to the set. A "[" that is never closed stands for itself.
- A character after a backslash stands for itself.
- Letters match in upper and lower case alike, in sets too.

selected(patterns, names) returns names in the order in which they are given. It goes through the
patterns: each selects the names that it covers; one with a "!" in front takes out those that the
rest of it covers. What the last pattern says about a name counts.
"""

from __future__ import annotations


def matches(pattern: str, name: str) -> bool:
    return _matches(pattern.lower(), name.lower())


def _matches(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern.startswith("**"):
        return any(_matches(pattern[2:], name[i:]) for i in range(len(name) + 1))
    if pattern[0] == "*":
        end = (name + "/").index("/")
        return any(_matches(pattern[1:], name[i:]) for i in range(end + 1))
    if not name:
        return False
    if pattern[0] == "?":
        return name[0] != "/" and _matches(pattern[1:], name[1:])
    end = pattern.find("]", 3 if pattern.startswith("[!") else 2)
    if pattern[0] == "[" and end > 0:
        return _in_set(pattern[1:end], name[0]) and _matches(pattern[end + 1 :], name[1:])
    if pattern[0] == "\\" and len(pattern) > 1:
        pattern = pattern[1:]
    return pattern[0] == name[0] and _matches(pattern[1:], name[1:])


def _in_set(written: str, character: str) -> bool:
    negated = written.startswith("!")
    items = written[1:] if negated else written
    found, at = False, 0
    while at < len(items):
        if items[at + 1 : at + 2] == "-" and at + 2 < len(items):
            found = found or items[at] <= character <= items[at + 2]
            at += 3
        else:
            found = found or items[at] == character
            at += 1
    return (not found and character != "/") if negated else found


def selected(patterns: list[str], names: list[str]) -> list[str]:
    result: list[str] = []
    for name in names:
        chosen = False
        for pattern in patterns:
            if matches(pattern.removeprefix("!"), name):
                chosen = not pattern.startswith("!")
        if chosen:
            result.append(name)
    return result
