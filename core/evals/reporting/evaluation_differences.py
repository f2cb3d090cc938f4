"""Tells evaluations of the same suite and model apart: by what was asked in another way."""

from __future__ import annotations

import hashlib
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

    A value that more than half of them have goes unsaid: the others say what theirs is. The options
    of the command line come last, and only those that no setting tells.
    """
    settings = [_settings(info) | own for info, own in zip(group, _contents(group), strict=True)]
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
        " · ".join(
            [
                *(
                    f"{name} {one.get(name, 'not set')}"
                    for name in differing
                    if one.get(name, "-") and one.get(name, "") != usual[name]
                ),
                *(each for each in given if each not in shared),
            ]
        )
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
        **{name.replace("_", " "): str(value) for name, value in sorted(info.params.items())},
        "sandbox": info.sandbox,
        "image": info.image,
        "answers of": info.answers_of,
        "scored by": info.scored_by,
    }


def _contents(group: Sequence[EvalInfo]) -> list[dict[str, str]]:
    """Return the digests of tasks and prompts that can be compared in a group: of the prompts, the
    packs that all of these use. Older versions recorded only one digest of the whole suite, with
    its modes and number of samples."""
    if not any(info.tasks_digest for info in group):
        return [{"suite": info.digest[:DIGEST_CHARACTERS]} for info in group]
    if not all(info.tasks_digest for info in group):
        return [{} for _ in group]
    common = sorted(set[str].intersection(*(set(info.packs) for info in group)))
    return [
        {
            "tasks": info.tasks_digest[:DIGEST_CHARACTERS],
            "prompts": _one_digest(info.packs[name] for name in common),
        }
        for info in group
    ]


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
