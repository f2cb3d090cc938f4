"""Domain `settings`: configuration files.

Level 1 is one file of four keys, level 2 one with sections that share keys; at level 3 a second
file takes precedence over the first, at level 4 several do, in an order that the question states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level
from sandbox_tui.core.rl.data.generated import problems, words

Sections = dict[str, dict[str, str]]

_KEYS = words.split_words(
    "colour depth height interval label limit margin mode owner port retries size speed width"
)
_NAMES = words.split_words("base site team local test night spare")


def _ini(sections: Sections) -> str:
    return "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for name, entries in sections.items()
    )


def _yaml(sections: Sections) -> str:
    return "".join(
        f"{name}:\n" + "".join(f"  {key}: {value}\n" for key, value in entries.items())
        for name, entries in sections.items()
    )


def _dotted(sections: Sections) -> str:
    return "".join(
        f"{name}.{key}={value}\n"
        for name, entries in sections.items()
        for key, value in entries.items()
    )


_FORMS: tuple[tuple[str, Callable[[Sections], str]], ...] = (
    ("ini", _ini),
    ("yaml", _yaml),
    ("conf", _dotted),
)


def value(draw: Draw, level: int) -> Problem:
    """The effective value of a key. Size: keys of all files."""
    names = draw.some(words.THINGS, at_level(level, 1, 4, 4, 5))
    count = at_level(level, 4, 8, 7, 7)
    base = {name: _entries(draw, draw.some(_KEYS, count)) for name in names}
    changes = at_level(level, 0, 0, 1, draw.integer(2, 4))
    files = [base, *(_changes(draw, base) for _ in range(changes))]
    suffix, form = draw.one_of(_FORMS)
    titles = draw.some(_NAMES, len(files))
    section, key, target = _chosen(draw, files)
    question = f"What is the value of {key} in the section {section}"
    if len(files) > 1:
        order = words.in_order([f"{title}.{suffix}" for title in titles])
        question += f", if of {order} each takes precedence over those named before it"
    written = {f"{title}.{suffix}": form(one) for title, one in zip(titles, files, strict=True)}
    size = sum(len(entries) for one in files for entries in one.values())
    return problems.exact(f"{question}?", target, dict(sorted(written.items())), size)


def _entries(draw: Draw, keys: Sequence[str]) -> dict[str, str]:
    return {key: _drawn(draw) for key in keys}


def _drawn(draw: Draw) -> str:
    if draw.chance(0.6):
        return str(draw.integer(10, 9999))
    return f"{draw.one_of(words.COLOURS)}-{draw.integer(10, 99)}"


def _changes(draw: Draw, base: Mapping[str, Mapping[str, str]]) -> Sections:
    """Return new values for some keys of some sections."""
    return {
        name: _entries(draw, draw.some(list(entries), draw.integer(2, 4)))
        for name, entries in base.items()
        if draw.chance(0.8)
    }


def _chosen(draw: Draw, files: list[Sections]) -> tuple[str, str, str]:
    """Return a key and its value; usually one that a later file changes."""
    merged = {
        (name, key): text
        for one in files
        for name, entries in one.items()
        for key, text in entries.items()
    }
    changed = [(name, key) for one in files[1:] for name, entries in one.items() for key in entries]
    name, key = draw.one_of(changed if changed and draw.chance(0.7) else list(merged))
    return name, key, merged[name, key]


FAMILIES = {"value": value}
