"""`sandbox-tui sessions` and `sandbox-tui snapshots`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.tui.cli.command_group import Subcommands
from sandbox_tui.tui.cli.completion.moments import complete_moment
from sandbox_tui.tui.cli.completion.names import complete_format
from sandbox_tui.tui.cli.completion.stored import (
    complete_filter,
    complete_session,
    complete_tag,
)
from sandbox_tui.tui.cli.open_store import open_store, session_named, store_to_read, unique_by_id
from sandbox_tui.tui.cli.options import limit_option, yes_option
from sandbox_tui.tui.cli.settings.output_file import choose_format, force_option


@click.group(cls=Subcommands)
def snapshots() -> None:
    """Snapshots of sandboxes' file systems, to fork from."""


@snapshots.command("ls")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one snapshot per line.")
def snapshots_ls(as_json: bool) -> None:
    """List the snapshots and the space they take."""
    from sandbox_tui.tui.cli.sessions.snapshots import print_snapshots

    with store_to_read() as store:
        print_snapshots(store, as_json=as_json)


@snapshots.command("prune", short_help="Remove snapshots that are no longer needed.")
@click.argument("session", nargs=-1, shell_complete=complete_session)
@click.option("--all", "every", is_flag=True, help="Remove those of all sessions.")
@yes_option
def snapshots_prune(session: tuple[str, ...], every: bool, yes: bool) -> None:
    """Remove the snapshots of deleted sessions, and those of SESSIONS, or of all with --all.

    The sessions themselves stay and can still be forked: calls are then carried out again.
    """
    from sandbox_tui.tui.cli.sessions.snapshots import prune

    if every and session:
        raise click.UsageError("Name SESSIONS or use --all, not both.")
    with open_store() as store:
        chosen = None if every else [session_named(store, name, strict=True).id for name in session]
        good = prune(store, chosen, ask=not yes)
    sys.exit(0 if good else 1)


@click.group(cls=Subcommands)
def sessions() -> None:
    """List, search, inspect, share and delete saved sessions."""


@sessions.command("ls")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one session per line.")
@limit_option("sessions", 50)
@click.option("--all", "every", is_flag=True, help="Also list samples of evaluations and rollouts.")
def sessions_ls(as_json: bool, limit: int, every: bool) -> None:
    """List sessions, newest first."""
    from sandbox_tui.tui.cli.sessions.format_sessions import list_sessions

    with store_to_read() as store:
        list_sessions(store, limit, every=every, as_json=as_json)


@sessions.command("show", short_help="Show what a session did and how it ended.")
@click.argument("session", shell_complete=complete_session)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def sessions_show(session: str, *, as_json: bool) -> None:
    """Show a SESSION: its settings, figures, answer and task, and one line for each call.

    SESSION is its id, part of it, or "last": the newest one that is no sample of an evaluation and
    no rollout of a training.
    """
    from sandbox_tui.tui.cli.sessions.format_sessions import print_session, print_session_as_json

    with store_to_read() as store:
        (print_session_as_json if as_json else print_session)(store, session_named(store, session))


@sessions.command("rm")
@click.argument("session", nargs=-1, required=True, shell_complete=complete_session)
@yes_option
def sessions_rm(session: tuple[str, ...], yes: bool) -> None:
    """Delete sessions and free their space."""
    from sandbox_tui.tui.cli.sessions.free_space import free_space
    from sandbox_tui.tui.cli.settings.confirm import confirm, kept_words
    from sandbox_tui.tui.screens.home.rows.delete_question import delete_question

    with open_store() as store:
        named = (session_named(store, name, strict=True) for name in session)
        chosen = unique_by_id(named, lambda summary: summary.id)
        for summary in chosen:
            if summary.outcome == "running" and not summary.elsewhere:
                raise ConfigError(f"{summary.id} is still running: end it before you delete it.")
        for summary in chosen:
            if not yes:
                confirm(delete_question(store, [summary]), kept_words(summary is chosen[0]))
            store.delete(summary.id)
            click.echo(f"deleted {summary.id}")
        free_space(store)


class _Search(click.Command):
    """A command in which `-word` excludes a word, also one that begins with an h."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep such a word from being read as `-h`; a space in front of it changes no query."""
        is_help = args == ["-h"]
        kept = [f" {word}" if re.match("-h", word) and not is_help else word for word in args]
        return super().parse_args(ctx, kept)


@sessions.command(
    "search",
    cls=_Search,
    short_help="Find words in saved sessions.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("query", nargs=-1, required=True, shell_complete=complete_filter)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one match per line.")
@limit_option("matches", 50)
def sessions_search(query: tuple[str, ...], as_json: bool, limit: int) -> None:
    """Find QUERY in titles, tags, tasks, replies, calls, output and notes of all sessions.

    Words and "phrases" that must all be there; -word must not. These narrow it down: model:NAME
    outcome:WORD tag:TAG tool:NAME (its calls) after:2026-11-01 before:2026-12-01
    'steps>10' 'tokens>5000' 'time>10m' 'cost<0.5' is:own (no samples or rollouts)
    """
    from sandbox_tui.sessions.search.across_sessions import search
    from sandbox_tui.sessions.search.query import parse_query
    from sandbox_tui.tui.cli.sessions.export_import import print_hits

    for word in query:
        if word.startswith("--"):
            raise click.NoSuchOption(word)
    parsed = parse_query(" ".join(query))
    if parsed.mistakes:
        raise ConfigError("\n".join(parsed.remarks))
    if not parsed.has_terms:
        raise ConfigError("There is nothing to search for: type a word or a filter.")
    with store_to_read() as store:
        hits = search(store, parsed, limit=limit + 1)  # one more says that there are more
        print_hits(hits, limit, parsed.remarks, as_json=as_json)


@sessions.command("rename", short_help="Give a session a title.")
@click.argument("session", shell_complete=complete_session)
@click.argument("title", nargs=-1)
def sessions_rename(session: str, title: tuple[str, ...]) -> None:
    """Give a SESSION a TITLE; without TITLE, its task is its name again."""
    from sandbox_tui.tui.format.titles import task_title

    with open_store() as store:
        run_id = session_named(store, session).id
        store.rename(run_id, " ".join(title) or None)
        click.echo(task_title(store.run(run_id)))


@sessions.command("tag")
@click.argument("session", shell_complete=complete_session)
@click.argument("tags", nargs=-1, shell_complete=complete_tag)
@click.option("--remove", is_flag=True, help="Remove these tags instead of adding them.")
def sessions_tag(session: str, tags: tuple[str, ...], remove: bool) -> None:
    """Add TAGS to a SESSION; without any, list its tags."""
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.sessions.store.tables.annotations import add_tag, remove_tag, tags_of

    if remove and not tags:
        raise click.UsageError("Give the TAGS to --remove.")
    with open_store() as store:
        run_id = session_named(store, session).id
        for tag in (tag for words in tags for tag in words.split(",") if tag.strip()):
            if remove:
                remove_tag(store, run_id, tag)
            else:
                add_tag(store, run_id, tag)
        if found := tags_of(store, run_id):
            click.echo(sanitize_line(" ".join(found)))
        else:
            click.echo("No tags.", err=True)


@sessions.command("note")
@click.argument("session", shell_complete=complete_session)
@click.argument("text", nargs=-1)
@click.option(
    "--step", type=click.IntRange(0), default=0, metavar="N", help="The step the note is about."
)
@click.option("--remove", type=int, metavar="N", help="Delete the note with this number.")
def sessions_note(session: str, text: tuple[str, ...], step: int, remove: int | None) -> None:
    """Write TEXT on a step of a SESSION; without any, list its notes."""
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.sessions.store.tables.annotations import (
        add_note,
        noted_on,
        notes_of,
        remove_note,
    )

    with open_store() as store:
        run_id = session_named(store, session).id
        if remove is not None and not remove_note(store, run_id, remove):
            raise ConfigError(f"This session has no note {remove}.")
        if text:
            add_note(store, run_id, step, " ".join(text))
        notes = notes_of(store, run_id)
        if not notes:
            click.echo("No notes.", err=True)
        for note in notes:
            click.echo(f"{note.id:>4}  {noted_on(note):<9}  {sanitize_line(note.text)}")


@sessions.command("export", short_help="Write sessions to files.")
@click.argument("session", nargs=-1, required=True, shell_complete=complete_session)
@click.option(
    *("--format", "-f", "format_"),
    metavar="FORMAT",
    shell_complete=complete_format,
    help="What to write; see above.",
)
@click.option(
    "--output",
    "-o",
    "output_",
    metavar="PATH",
    type=click.Path(),
    default="",
    help="File or folder/ to write to; - is stdout. With several sessions: a folder. The ending "
    "of a file names the format if only one has it.",
)
@click.option("--no-redact", is_flag=True, help="Do not redact what looks like a secret.")
@force_option
@click.option(
    "--at",
    metavar="MOMENT",
    shell_complete=complete_moment,
    help="With svg: draw the whole cockpit at a step (5), call:7, seq:9 or end.",
)
@click.option(
    "--size",
    metavar="COLSxROWS",
    help="Size of a screenshot or film of the cockpit. Default: 160x45.",
)
@click.pass_obj
def sessions_export(
    theme: str | None,
    session: tuple[str, ...],
    format_: str | None,
    output_: str,
    no_redact: bool,
    force: bool,
    at: str | None,
    size: str | None,
) -> None:
    """Write each SESSION to a file; what looks like a secret in it is redacted.

    FORMAT: trajectory, html, markdown, asciicast, bundle, chat-jsonl, atif, svg (the terminal at
    the end; with --at, the whole cockpit at that moment) or film (the whole cockpit, as one SVG
    file that plays by itself).
    """
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.sessions.interchange.export_files import make_folder
    from sandbox_tui.sessions.interchange.exports import EXPORTERS
    from sandbox_tui.tui.cli.sessions.cockpit_exporters import film_exporter, screenshot_exporter
    from sandbox_tui.tui.cli.sessions.export_import import (
        export_session,
        export_sessions,
        unknown_format,
    )
    from sandbox_tui.tui.film.export_formats import (
        FORMATS,
        disagreement,
        format_named,
        formats_by_ending,
        refuse_name_of_file,
    )
    from sandbox_tui.tui.film.film_process import DEFAULT_SIZE, FILM

    is_named_folder = output_.endswith("/")
    output = Path(output_) if output_ else None
    fitting = [] if is_named_folder else formats_by_ending(output)
    if format_ is None and len(fitting) != 1:
        raise ConfigError(choose_format(fitting or FORMATS))
    format_ = format_named(format_ or fitting[0])
    if format_ not in FORMATS:
        raise ConfigError(unknown_format(format_, list(FORMATS)))
    if at is not None and format_ != "svg":
        raise ConfigError("--at is for screenshots: use it with --format svg.")
    if size is not None and at is None and format_ != FILM:
        raise ConfigError("--size is for the cockpit: use it with --format film, or svg and --at.")
    cells = size or DEFAULT_SIZE
    if format_ == FILM:
        exporter = film_exporter(cells, theme)
    else:
        exporter = EXPORTERS[format_] if at is None else screenshot_exporter(at, cells, theme)
    with store_to_read() as store:
        named = (session_named(store, name) for name in session)
        first, *others = chosen = unique_by_id(named, lambda summary: summary.id)
        if others:
            if not is_named_folder:
                refuse_name_of_file(output, len(chosen))
            good = export_sessions(
                store, chosen, exporter, output, redact=not no_redact, force=force
            )
            sys.exit(0 if good else ConfigError.exit_code)
        if is_named_folder and output is not None:
            make_folder(output)
        export_session(store, first, exporter, output, redact=not no_redact, force=force)
        if not is_named_folder and (words := disagreement(output, format_)):
            click.echo(f"sandbox-tui: {sanitize_line(words)}", err=True)


@sessions.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def sessions_import(files: tuple[Path, ...]) -> None:
    """Import FILES; their content decides the format, not their names. - is stdin.

    Of a folder, its .sbx, .json, .traj and .cast files are imported.

    Formats: trajectory.json (llm-in-sandbox), .traj (SWE-agent), .traj.json (mini-swe-agent),
    ATIF (Harbor), asciicast v2 and v3, and bundles (.sbx).
    """
    from sandbox_tui.tui.cli.sessions.export_import import import_files

    with open_store() as store:
        good = import_files(store, files)
    sys.exit(0 if good else ConfigError.exit_code)


@sessions.command("check", short_help="Examine the session database.")
def sessions_check() -> None:
    """Examine the session database; exit code 6 if it is damaged."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.sessions.store.maintenance import check
    from sandbox_tui.tui.cli.sessions.export_import import print_report

    with store_to_read() as store:
        report = check(store)
    print_report(report)
    if report.problems:
        sys.exit(StoreError.exit_code)


@sessions.command("vacuum", short_help="Shrink the session database.")
def sessions_vacuum() -> None:
    """Remove unused data from the session database, and shrink the file."""
    from sandbox_tui.sessions.store.maintenance import vacuum
    from sandbox_tui.tui.format import numbers

    with open_store() as store:
        click.echo(f"{numbers.size(vacuum(store))} freed")
