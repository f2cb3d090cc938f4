"""Tells evaluations of the same suite and model apart: by what was asked in another way."""

from __future__ import annotations

import hashlib
import posixpath
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from sandbox_tui.core.evals.eval_info import EvalInfo

DIGEST_CHARACTERS = 8

OF_SANDBOXES = ("sandbox", "image")
"""Settings that can be compared only once it is resolved which sandboxes all of them use."""

NOT_ASKED = ("--mode", "--headless", "--json", "--concurrency", "--ray")
"""Options that do not change what is asked, or that the modes tell."""


def what_differs(evaluations: Sequence[EvalInfo]) -> dict[str, str]:
    """Return by id what an evaluation does not share with most of its suite and model.

    Evaluations with another suite or model, and those that differ in nothing, are left out.
    """
    groups: defaultdict[tuple[str, str], list[EvalInfo]] = defaultdict(list)
    for info in evaluations:
        groups[info.suite, _last_part(info.model)].append(info)
    found = {
        info.id: words
        for group in groups.values()
        for info, words in zip(group, differences(group), strict=True)
    }
    return {eval_id: words for eval_id, words in found.items() if words}


def differences(group: Sequence[EvalInfo]) -> list[str]:
    """Return for each evaluation what it does not share with most of these; empty if nothing.

    A value that more than half of them have goes unsaid: the others say what theirs is. The file
    and the number of tasks come first, then settings, then those options of the command line that
    no setting tells. A digest of the tasks is said only where all of that is the same.
    """
    told = [
        [*known, *words] for known, words in zip(_tasks(group), _by_setting(group), strict=True)
    ]
    digests = _digests(group)
    alike: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for words, digest in zip(told, digests, strict=True):
        alike[tuple(words)].add(digest)
    return [
        " · ".join([*words, digest] if len(alike[tuple(words)]) > 1 else words)
        for words, digest in zip(told, digests, strict=True)
    ]


def _tasks(group: Sequence[EvalInfo]) -> list[list[str]]:
    """Return the file and the number of tasks of each, if they do not all have the same tasks."""
    if len({info.tasks_digest for info in group}) < 2:
        return [[] for _ in group]
    paths = [_file(info) for info in group]
    names = [posixpath.basename(path) for path in paths]
    files = paths if len(set(paths)) > len(set(names)) else names
    counts = [_counted(info.tasks) for info in group] if all(i.tasks for i in group) else []
    parts = [_unusual(values) for values in (files, counts or [""] * len(group))]
    return [list(filter(None, each)) for each in zip(*parts, strict=True)]


def _unusual(values: Sequence[str]) -> list[str]:
    """Return the values that at most half have; the others empty."""
    usual = _usual(values)
    return ["" if value == usual else value for value in values]


def _file(info: EvalInfo) -> str:
    """Return the path of the file with the tasks as it was typed; empty for a named suite."""
    try:
        words = shlex.split(info.command)
    except ValueError:  # another program wrote it
        return ""
    typed = next(iter(words[words.index("run") + 1 :]), "") if "run" in words else ""
    return posixpath.normpath(typed) if "." in posixpath.basename(typed) else ""


def _counted(tasks: int) -> str:
    return "1 task" if tasks == 1 else f"{tasks} tasks"


def _digests(group: Sequence[EvalInfo]) -> list[str]:
    """Return the digests of the tasks that can be compared in a group. Older versions recorded only
    one digest of the whole suite, with its modes and number of samples."""
    if not any(info.tasks_digest for info in group):
        return [f"suite {info.digest[:DIGEST_CHARACTERS]}" for info in group]
    if not all(info.tasks_digest for info in group):
        return ["" for _ in group]
    return [f"tasks {info.tasks_digest[:DIGEST_CHARACTERS]}" for info in group]


def _by_setting(group: Sequence[EvalInfo]) -> list[list[str]]:
    """Return what differs by setting and by option of the command line."""
    settings = [_settings(info) | own for info, own in zip(group, _prompts(group), strict=True)]
    names = dict.fromkeys(name for one in settings for name in one)
    all_resolved = all(info.sandbox_used for info in group)
    differing = [
        name
        for name in names
        if len({one.get(name, "") for one in settings}) > 1
        and (all_resolved or name not in OF_SANDBOXES)
    ]
    usual = {name: _usual(one.get(name, "") for one in settings) for name in differing}
    arguments = [_arguments(info, names) for info in group]
    shared = set[str].intersection(*map(set, arguments)) if arguments else set[str]()
    return [
        [
            *(
                f"{name} {one.get(name, 'not set')}"
                for name in differing
                if one.get(name, "-") and one.get(name, "") != usual[name]
            ),
            *(each for each in given if each not in shared),
        ]
        for one, given in zip(settings, arguments, strict=True)
    ]


def _usual(values: Iterable[str]) -> str | None:
    """Return the value that more than half have; None if there is none."""
    counts = Counter(values)
    value, count = counts.most_common(1)[0]
    return value if 2 * count > counts.total() else None


def _settings(info: EvalInfo) -> dict[str, str]:
    """Return the settings by name as the report states them."""
    return {
        "model": info.model,
        "modes": ", ".join(info.modes),
        **{name.replace("_", " "): value for name, value in info.shown_params.items()},
        "sandbox": info.sandbox,
        "image": info.image,
        "answers of": info.answers_of,
        "scored by": info.scored_by,
    }


def _prompts(group: Sequence[EvalInfo]) -> list[dict[str, str]]:
    """Return the digest of the prompts that can be compared in a group: the packs that all of these
    use. Older versions recorded none."""
    if not all(info.tasks_digest for info in group):
        return [{} for _ in group]
    common = sorted(set[str].intersection(*(set(info.packs) for info in group)))
    return [{"prompts": _one_digest(info.packs[name] for name in common)} for info in group]


def _one_digest(digests: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()[:DIGEST_CHARACTERS]


def _arguments(info: EvalInfo, settings: Iterable[str]) -> list[str]:
    """Return the options of the command line with their values, without those of settings."""
    try:
        words = shlex.split(info.command)
    except ValueError:  # another program wrote it
        return []
    found: list[list[str]] = []
    for word in words:
        if word.startswith("--"):
            found.append(word.split("=", 1))
        elif found and len(found[-1]) == 1:
            found[-1].append(word)
    return [" ".join(option) for option in found if not _is_told(option[0], settings)]


def _is_told(option: str, settings: Iterable[str]) -> bool:
    name = option.removeprefix("--").replace("-", " ")
    return option in NOT_ASKED or name in settings


def _last_part(model: str) -> str:
    return model.rstrip("/").rpartition("/")[2] if model.startswith("/") else model
