"""What a shell offers: names that begin with the typed text, and files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import click
from click.shell_completion import CompletionItem


def beginning_with(typed: str, described: Mapping[str, str]) -> list[CompletionItem]:
    """Return the names that begin with the typed text, with what each stands for."""
    return [
        CompletionItem(name, help=words or None)
        for name, words in described.items()
        if name.startswith(typed)
    ]


def named_by(typed: str, described: Mapping[str, str]) -> list[CompletionItem]:
    """Return the ids that begin with the typed text; if none does, those that contain it."""
    return beginning_with(typed, described) or [
        CompletionItem(name, help=words or None)
        for name, words in described.items()
        if typed in name
    ]


def complete_file(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete the path of a file."""
    del ctx, param
    return [CompletionItem(incomplete, type="file")]


def or_files(
    typed: str, named: list[CompletionItem], endings: Collection[str]
) -> list[CompletionItem]:
    """Return names, and the files in this folder that begin like them; without names, the shell
    completes the path of a file.

    A shell that gets both names and the request to complete files shows only the names.

    Args:
        typed: so far.
        named: the names that begin with it.
        endings: of the files that can be given instead of a name.
    """
    if not named:
        return [CompletionItem(typed, type="file")]
    try:
        files = sorted(file.name for file in Path().iterdir() if file.suffix in endings)
    except OSError:
        files = []
    return [*named, *beginning_with(typed, dict.fromkeys(files, ""))]
