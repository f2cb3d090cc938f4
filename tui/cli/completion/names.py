"""Completes names that the program knows: suites, scorers, themes, prompt packs, tools and
formats."""

from __future__ import annotations

from collections.abc import Mapping

import click
from click.shell_completion import CompletionItem

from sandbox_tui.tui.cli.completion.items import beginning_with, or_files


def complete_suite(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the suites that begin with the typed text, and files."""
    from sandbox_tui.core.evals.suite_file import SUITE_FILES, known_suites

    del ctx, param
    return or_files(incomplete, beginning_with(incomplete, known_suites()), SUITE_FILES)


def complete_domain(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the domains of the suite on the command line that begin with the typed text, without
    those that are given."""
    from sandbox_tui.core.base.errors import SandboxTuiError
    from sandbox_tui.core.evals.suite_file import known_domains

    given: tuple[str, ...] = ctx.params.get(str(param.name)) or ()
    # an option that still lacks its value keeps Click from assigning the arguments
    suite: str = ctx.params.get("suite") or next(iter(ctx.args), "")
    try:
        domains = known_domains(suite)
    except SandboxTuiError:  # the command says what is wrong
        return []
    left = (one for one in domains if one and one not in given)
    return beginning_with(incomplete, dict.fromkeys(left, ""))


def complete_scorer(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the scorers that begin with the typed text."""
    from sandbox_tui.core.evals.scorers.table import SCORERS, SCORES

    del ctx, param
    return beginning_with(incomplete, {name: SCORES.get(name, "") for name in sorted(SCORERS)})


def complete_theme(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the themes that begin with the typed text."""
    del ctx, param
    return beginning_with(incomplete, themes())


def themes() -> Mapping[str, str]:
    """Return the themes that can be chosen, by name."""
    from sandbox_tui.core.config.settings import config_dir
    from sandbox_tui.tui.theming.theme_files import ThemeFiles

    return dict.fromkeys(ThemeFiles(config_dir() / "themes").names, "")


def complete_prompts(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the prompt packs that begin with the typed text, and files."""
    from sandbox_tui.core.prompts.pack import pack_names

    del ctx, param
    packs = dict.fromkeys(pack_names(), "")
    return or_files(incomplete, beginning_with(incomplete, packs), (".yaml", ".yml"))


def complete_tool(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the tools that begin with the typed text."""
    from sandbox_tui.core.base.tool_names import BUILT_IN, installed_tool_names

    del ctx, param
    return beginning_with(incomplete, dict.fromkeys((*BUILT_IN, *installed_tool_names()), ""))


def complete_format(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the formats of exported sessions that begin with the typed text."""
    from sandbox_tui.sessions.interchange.exports import EXPORTERS
    from sandbox_tui.tui.film.film_process import FILM, FILM_ABOUT

    del ctx, param
    formats = {name: exporter.about for name, exporter in EXPORTERS.items()}
    return beginning_with(incomplete, {**formats, FILM: FILM_ABOUT})
