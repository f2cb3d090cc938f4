"""The command line. Everything heavy is imported in the command that needs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import ConfigError, SandboxTuiError
from .cli_going_on import attach, resume, stop
from .cli_shared import (
    is_terminal,
    open_store,
    say_how_it_ended,
    session_named,
    settings_in_force,
    show_screen,
    store_to_read,
)
from .settings_commands import config_group, keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.config import Settings
    from ..core.events import Mode
    from ..core.launch import RunRequest

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(click.Group):
    """A group that answers our own errors with a sentence on stderr and their exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except SandboxTuiError as error:
            from ..core.text import clean

            click.echo(f"sandbox-tui: {clean(str(error))}", err=True)
            ctx.exit(error.exit_code)


@click.group(cls=Commands, invoke_without_command=True, context_settings=CONTEXT)
@click.version_option(package_name="sandbox-tui", prog_name="sandbox-tui")
@click.option("--theme", help="Theme for this start.")
@click.pass_context
def main(ctx: click.Context, theme: str | None) -> None:
    """Watch, steer and replay a language model that works in a sandbox.

    Without a command: the home screen, with saved sessions and new runs.
    """
    ctx.obj = theme
    if ctx.invoked_subcommand is None:
        settings = settings_in_force({}, theme)
        with open_store() as store:
            show_screen(settings, store, None)


def _run_options(function: Any) -> Any:
    """Options that say how a run is run."""
    for option in reversed(
        [
            click.option("--sandbox", type=click.Choice(["auto", "docker", "bubblewrap"])),
            click.option("--image", help="Container image (docker)."),
            click.option("--network", type=click.Choice(["bridge", "none"])),
            click.option(
                "--snapshots",
                type=click.Choice(["off", "auto", "every"]),
                help="Of the files, to fork from: never, now and then, after every step.",
            ),
            click.option("--output", type=click.Path(path_type=Path, file_okay=False)),
            click.option("--prompts", help="A built-in prompt pack, or a file."),
            click.option("--max-steps", type=click.IntRange(1), help="Most model turns."),
            click.option("--max-tokens", type=click.IntRange(1), help="Tokens of one reply."),
            click.option("--token-limit", type=click.IntRange(1), help="Tokens in all."),
            click.option("--time-limit", type=click.FloatRange(0, min_open=True), metavar="S"),
            click.option("--command-timeout", type=click.FloatRange(0, min_open=True), metavar="S"),
            click.option(
                "--tty/--no-tty",
                default=None,
                help="Commands run on a terminal: colours, progress bars, questions.",
            ),
            click.option(
                "--mode",
                type=click.Choice(["auto", "step", "ask"]),
                help="By itself, every call waits for you, or those the policy asks about.",
            ),
            click.option("--step", is_flag=True, help="The same as --mode step."),
            click.option("--headless", is_flag=True, help="Lines of text instead of the screen."),
            click.option("--json", "as_json", is_flag=True, help="Events as JSON, one a line."),
            click.option(
                "--detach",
                is_flag=True,
                help="In a program of its own, without a screen; prints the session's id.",
            ),
        ]
    ):
        function = option(function)
    return function


@main.command()
@click.argument("task", nargs=-1, required=True)
@click.option("--samples", type=click.IntRange(1, 256), default=1, help="Runs of each task.")
@click.option("--model", help="Name of the model, as its server knows it.")
@click.option("--base-url", help="Address of an OpenAI-compatible server (…/v1).")
@click.option("--temperature", type=float)
@click.option("--extra-body", help="More fields for every request, as a JSON object.")
@click.option("--input", "input_", type=click.Path(path_type=Path), help="File or folder for it.")
@_run_options
@click.pass_obj
def run(
    theme: str | None,
    task: tuple[str, ...],
    samples: int,
    input_: Path | None,
    **options: Any,
) -> None:
    """Give each TASK to a model and watch it work ("-" reads the task from stdin).

    Several tasks, or several samples of one, run side by side.
    """
    tasks = [sys.stdin.read() if text == "-" else text for text in task]
    settings = settings_in_force(_overrides(options), theme)
    from ..core.launch import RunRequest, several

    request = RunRequest(
        task="",
        settings=settings,
        mode=_mode(options, settings),
        input=input_,
        output=options["output"],
    )
    _execute(several(request, tasks, samples), options)


@main.command()
@click.option("--speed", type=click.FloatRange(0), default=1.0, help="0 leaves out all pauses.")
@_run_options
@click.pass_obj
def demo(theme: str | None, speed: float, **options: Any) -> None:
    """A fixed script drives a real sandbox: no key, no network, the whole cockpit at work."""
    settings = settings_in_force(_overrides(options), theme)
    from .demo import demo_request

    request = demo_request(
        settings,
        mode=_mode(options, settings),
        speed=speed,
        output=options["output"],
    )
    _execute([request], options)


@main.command()
@click.argument("session")
@click.option("--headless", is_flag=True, help="Lines of text instead of the screen.")
@click.option("--json", "as_json", is_flag=True, help="Events as JSON, one a line.")
@click.pass_obj
def replay(theme: str | None, session: str, headless: bool, as_json: bool) -> None:
    """Replay a saved SESSION (its id, the beginning of it, or "last")."""
    settings = settings_in_force({}, theme)
    with store_to_read() as store:
        summary = session_named(store, session)
        if headless or as_json or not is_terminal():
            from .headless import writer_for

            write = writer_for(as_json)
            for event in store.events(summary.id):
                write(event)
            return
        show_screen(settings, store, summary)


for command in (resume, attach, stop):
    main.add_command(command)


@main.command()
@click.argument("session")
@click.option("--at", default="end", show_default=True, metavar="MOMENT")
@click.option("--model", help="Another model, as its server knows it.")
@click.option("--base-url", help="Address of an OpenAI-compatible server (…/v1).")
@click.option("--temperature", type=float)
@click.option("--extra-body", help="More fields for every request, as a JSON object.")
@click.option("--task", help="Another task.")
@click.option("--message", default="", help="Words for the model before it goes on.")
@click.option("--edit-call", metavar="JSON", help="Other arguments for the call at MOMENT.")
@click.option("--yes", is_flag=True, help="Do not ask before calls are carried out again.")
@click.option("--no-repeat", is_flag=True, help="Refuse where calls would have to be.")
@_run_options
@click.pass_obj
def fork(theme: str | None, session: str, **options: Any) -> None:
    """Go on from the middle of a saved SESSION, with the files of that moment.

    MOMENT is 5 or step:5 (its end), call:7 (its end; with --edit-call, before it), seq:123 or end.
    The files come from the nearest snapshot; recorded calls since are carried out again.
    """
    from .forking import execute_fork

    overrides = _overrides(options)
    settings = settings_in_force(overrides, theme)
    mode = _mode(options, settings) if options["mode"] or options["step"] else None
    with open_store() as store:
        code = execute_fork(
            store, session_named(store, session), settings, overrides, mode, options
        )
    sys.exit(code)


@main.command()
@click.argument("left")
@click.argument("right")
@click.option("--diffs", is_flag=True, help="With the differences of each file.")
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def compare(left: str, right: str, diffs: bool, as_json: bool) -> None:
    """Show two sessions side by side: where they part, calls, files, tokens, cost, answer."""
    from .comparing import print_comparison

    with store_to_read() as store:
        one, other = session_named(store, left), session_named(store, right)
        print_comparison(store, one, other, as_json=as_json, diffs=diffs)


@main.group()
def snapshots() -> None:
    """What is kept of sandboxes' file systems, to fork from."""


@snapshots.command("ls")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one snapshot a line.")
def snapshots_ls(as_json: bool) -> None:
    """List the snapshots that stand, with the room they take."""
    from .snapshots import print_snapshots

    with store_to_read() as store:
        print_snapshots(store, as_json=as_json)


@snapshots.command("prune")
@click.argument("session", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Those of all sessions.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def snapshots_prune(session: tuple[str, ...], every: bool, yes: bool) -> None:
    """Remove the snapshots of deleted sessions; of SESSIONS that are named, or --all, theirs too.

    The sessions themselves stay: they can be forked all the same, with calls carried out again.
    """
    from .snapshots import prune

    with open_store() as store:
        chosen = None if every else [session_named(store, name).id for name in session]
        good = prune(store, chosen, ask=not yes)
    sys.exit(0 if good else 1)


@main.group()
def sessions() -> None:
    """Saved sessions."""


@sessions.command("ls")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one session a line.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
def sessions_ls(as_json: bool, limit: int) -> None:
    """List sessions, newest first."""
    from .listing import print_sessions

    with store_to_read() as store:
        print_sessions(store.runs(limit=limit), as_json=as_json)


@sessions.command("show")
@click.argument("session")
def sessions_show(session: str) -> None:
    """Show what is known of a SESSION."""
    from .listing import print_session

    with store_to_read() as store:
        print_session(session_named(store, session))


@sessions.command("rm")
@click.argument("session", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
def sessions_rm(session: tuple[str, ...], yes: bool) -> None:
    """Delete sessions, with the space they take."""
    from ..sessions.snapshots import clear_left
    from ..sessions.upkeep import reclaim

    with open_store() as store:
        chosen = [session_named(store, name) for name in session]
        for summary in chosen:
            if not yes:
                task = summary.task.strip().split("\n", 1)[0][:60]
                click.confirm(f"Delete {summary.id} ({task})?", abort=True)
            store.delete(summary.id)
            click.echo(f"deleted {summary.id}")
        reclaim(store)
        for problem in clear_left(store):
            click.echo(f"sandbox-tui: {problem}", err=True)


@sessions.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="As JSON, one hit a line.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
def sessions_search(query: tuple[str, ...], as_json: bool, limit: int) -> None:
    """Find QUERY in tasks, replies, calls, observations and notes of all sessions.

    Words and "phrases" that must all be there; -word must not (put -- before it). These narrow it
    down: model:NAME outcome:WORD tag:TAG tool:NAME after:2026-11-01 before:2026-12-01 cost:>0.5
    """
    from ..sessions.search import parse_query, search
    from .sharing import print_hits

    parsed = parse_query(" ".join(query))
    with store_to_read() as store:
        print_hits(search(store, parsed, limit=limit), parsed.ignored, as_json=as_json)


@sessions.command("rename")
@click.argument("session")
@click.argument("title", required=False)
def sessions_rename(session: str, title: str | None) -> None:
    """Give a SESSION a TITLE of its own; without one, its task is its name again."""
    with open_store() as store:
        store.rename(session_named(store, session).id, title)


@sessions.command("tag")
@click.argument("session")
@click.argument("tags", nargs=-1)
@click.option("--remove", is_flag=True, help="Take them away.")
def sessions_tag(session: str, tags: tuple[str, ...], remove: bool) -> None:
    """Put TAGS on a SESSION; without any, list what it has."""
    from ..core.text import clean_line
    from ..sessions.labels import add_tag, remove_tag, tags_of

    with open_store() as store:
        run_id = session_named(store, session).id
        for tag in tags:
            if remove:
                remove_tag(store, run_id, tag)
            else:
                add_tag(store, run_id, tag)
        click.echo(clean_line(" ".join(tags_of(store, run_id))))


@sessions.command("note")
@click.argument("session")
@click.argument("text", nargs=-1)
@click.option("--step", type=click.IntRange(0), default=0, help="The step it is about.")
@click.option("--remove", type=int, metavar="NUMBER", help="Delete the note of this number.")
def sessions_note(session: str, text: tuple[str, ...], step: int, remove: int | None) -> None:
    """Write TEXT on a step of a SESSION; without any, list its notes."""
    from ..core.text import clean_line
    from ..sessions.labels import add_note, notes_of, remove_note

    with open_store() as store:
        run_id = session_named(store, session).id
        if remove is not None and not remove_note(store, run_id, remove):
            raise ConfigError(f"This session has no note {remove}.")
        if text:
            add_note(store, run_id, step, " ".join(text))
        for note in notes_of(store, run_id):
            click.echo(f"{note.id:>4}  step {note.step:<4}  {clean_line(note.text)}")


@sessions.command("export")
@click.argument("session")
@click.option("--format", "-f", "format_", required=True, metavar="FORMAT")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="File or folder; - is stdout."
)
@click.option("--no-redact", is_flag=True, help="Keep what looks like a secret.")
@click.option("--force", is_flag=True, help="Write over files that are there.")
def sessions_export(
    session: str, format_: str, output: Path | None, no_redact: bool, force: bool
) -> None:
    """Write a SESSION to a file; what looks like a secret in it is blanked.

    FORMAT: trajectory, html, markdown, asciicast, bundle, chat-jsonl, atif or svg.
    """
    from ..sessions.exports import EXPORTERS
    from .sharing import export_session

    if format_ not in EXPORTERS:
        raise ConfigError(f"There is no format {format_!r}; there are {', '.join(EXPORTERS)}.")
    with store_to_read() as store:
        summary = session_named(store, session)
        export_session(store, summary, format_, output, redact=not no_redact, force=force)


@sessions.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def sessions_import(files: tuple[Path, ...]) -> None:
    """Import FILES: what they are, their content says, not their names.

    Known are trajectory.json (llm-in-sandbox), .traj (SWE-agent), .traj.json (mini-swe-agent),
    asciicast v2 and v3, and bundles (.sbx).
    """
    from .sharing import import_files

    with open_store() as store:
        good = import_files(store, files)
    sys.exit(0 if good else 1)


@sessions.command("check")
def sessions_check() -> None:
    """Examine the session database; exit code 6 when something is wrong with it."""
    from ..core.errors import StoreError
    from ..sessions.upkeep import check
    from .sharing import print_report

    with store_to_read() as store:
        report = check(store)
    print_report(report)
    if report.problems:
        sys.exit(StoreError.exit_code)


@sessions.command("vacuum")
def sessions_vacuum() -> None:
    """Remove what nothing needs from the session database, and give the space back."""
    from ..sessions.upkeep import vacuum
    from . import figures

    with open_store() as store:
        click.echo(f"{figures.size(vacuum(store))} freed")


@main.group()
def image() -> None:
    """The container image in which models work."""


@image.command("build")
@click.option("--from-packages", is_flag=True, help="From this machine's Debian packages.")
@click.option("--small", is_flag=True, help="Without the science libraries.")
@click.option("--tag", help="Name of the image.")
def image_build(from_packages: bool, small: bool, tag: str | None) -> None:
    """Build the image, with a registry or from the packages of this machine."""
    from .image import build

    build(tag, from_packages=from_packages, small=small)


@main.command()
def doctor() -> None:
    """Say what is there, what is missing, and the one line that mends it."""
    from .doctor import examine

    sys.exit(examine())


@main.group()
def policy() -> None:
    """The rules about which calls run, which wait for you, and which never run."""


@policy.command("show")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def policy_show(as_json: bool) -> None:
    """Show the rules in force, in the order in which they are tried."""
    from ..core.config import config_dir, load
    from .policy_report import print_policy

    print_policy(load().policy, config_dir() / "config.toml", as_json=as_json)


@policy.command("check")
@click.argument("session", default="last")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def policy_check(session: str, config: Path | None, as_json: bool) -> None:
    """Show what the rules would have done to every call of a saved SESSION (default: the last).

    Nothing is run. --config tries the rules of another file.
    """
    from ..core.config import load
    from .policy_report import check, print_check

    rules = load(file=config).policy
    with open_store() as store:
        summary = session_named(store, session)
        print_check(summary.id, check(rules, store.events(summary.id)), as_json=as_json)


@main.command(context_settings={"ignore_unknown_options": True})
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True)
@click.option("--public-url", help="How browsers reach it, behind a proxy.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def serve(host: str, port: int, public_url: str | None, command: tuple[str, ...]) -> None:
    """Show the cockpit in a browser.

    COMMAND is what each tab shows: nothing for the home screen, or for example: replay last
    """
    try:
        from .serve import serve as serve_until_interrupted
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"The browser needs {error.name}: pip install 'sandbox-tui[serve]'."
        ) from error
    serve_until_interrupted(command, host, port, public_url)


main.add_command(keys)
main.add_command(config_group)

# --- what the commands share


def _mode(options: dict[str, Any], settings: Settings) -> Mode:
    """How a run begins. Without a screen there is nobody to step through it."""
    if options["step"] and options["mode"] not in (None, "step"):
        raise ConfigError(f"--step and --mode {options['mode']} do not go together.")
    mode = "step" if options["step"] else options["mode"] or settings.agent.mode
    if mode == "step" and (options["headless"] or options["as_json"] or not is_terminal()):
        raise ConfigError(
            "Step by step needs the screen, since every call waits for a person. "
            "Use --mode ask with a policy, or --mode auto."
        )
    return mode


def _overrides(options: dict[str, Any]) -> dict[str, Any]:
    names = {
        "model": "model.name",
        "base_url": "model.base_url",
        "temperature": "model.temperature",
        "sandbox": "sandbox.kind",
        "image": "sandbox.image",
        "network": "sandbox.network",
        "snapshots": "sandbox.snapshots",
        "prompts": "agent.prompts",
        "tty": "agent.tty",
        "max_steps": "limits.max_steps",
        "max_tokens": "limits.max_tokens",
        "token_limit": "limits.token_limit",
        "time_limit": "limits.time_limit",
        "command_timeout": "limits.command_timeout",
    }
    overrides = {dotted: options.get(name) for name, dotted in names.items()}
    if options.get("extra_body"):
        overrides["model.extra_body"] = _json_object(options["extra_body"])
    return overrides


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"--extra-body is not valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise ConfigError("--extra-body must be a JSON object, such as '{\"top_k\": 20}'.")
    return value  # pyright: ignore[reportUnknownVariableType]


def _execute(requests: Sequence[RunRequest], options: dict[str, Any]) -> None:
    """Run to the end, on the screen where there is one; or have it run elsewhere."""
    headless, as_json = options["headless"], options["as_json"]
    if options["detach"]:
        _detach(requests)
        return
    with open_store() as store:
        if headless or as_json or not is_terminal():
            import asyncio

            from .headless import run_headless

            code = asyncio.run(run_headless(requests, store, as_json=as_json))
        else:
            code = show_screen(requests[0].settings, store, requests)
        if code != 0:
            say_how_it_ended(store)
    sys.exit(code)


def _detach(requests: Sequence[RunRequest]) -> None:
    from ..sessions.detached import Job, begin

    for request in requests:
        click.echo(begin(Job.of(request)))
