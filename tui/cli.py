"""The command line. Everything heavy is imported in the command that needs it."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import ConfigError, SandboxTuiError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.config import Settings
    from ..core.launch import RunRequest
    from ..sessions import RunSummary, Store

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
        settings = _settings({}, theme)
        with _store() as store:
            _show(settings, store, None)


def _run_options(function: Any) -> Any:
    """Options that say how a run is run."""
    for option in reversed(
        [
            click.option("--sandbox", type=click.Choice(["auto", "docker", "bubblewrap"])),
            click.option("--image", help="Container image (docker)."),
            click.option("--network", type=click.Choice(["bridge", "none"])),
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
            click.option("--step", is_flag=True, help="Every call waits for you."),
            click.option("--headless", is_flag=True, help="Lines of text instead of the screen."),
            click.option("--json", "as_json", is_flag=True, help="Events as JSON, one a line."),
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
    settings = _settings(_overrides(options), theme)
    from ..core.launch import RunRequest, several

    request = RunRequest(
        task="",
        settings=settings,
        mode="step" if options["step"] else "auto",
        input=input_,
        output=options["output"],
    )
    requests = several(request, tasks, samples)
    _execute(requests, headless=options["headless"], as_json=options["as_json"])


@main.command()
@click.option("--speed", type=click.FloatRange(0), default=1.0, help="0 leaves out all pauses.")
@_run_options
@click.pass_obj
def demo(theme: str | None, speed: float, **options: Any) -> None:
    """A fixed script drives a real sandbox: no key, no network, the whole cockpit at work."""
    settings = _settings(_overrides(options), theme)
    from .demo import demo_request

    request = demo_request(
        settings,
        mode="step" if options["step"] else "auto",
        speed=speed,
        output=options["output"],
    )
    _execute([request], headless=options["headless"], as_json=options["as_json"])


@main.command()
@click.argument("session")
@click.option("--headless", is_flag=True, help="Lines of text instead of the screen.")
@click.option("--json", "as_json", is_flag=True, help="Events as JSON, one a line.")
@click.pass_obj
def replay(theme: str | None, session: str, headless: bool, as_json: bool) -> None:
    """Replay a saved SESSION (its id, the beginning of it, or "last")."""
    settings = _settings({}, theme)
    with _store() as store:
        summary = _session(store, session)
        if headless or as_json or not _is_terminal():
            from .headless import writer_for

            write = writer_for(as_json)
            for event in store.events(summary.id):
                write(event)
            return
        _show(settings, store, summary)


@main.group()
def sessions() -> None:
    """Saved sessions."""


@sessions.command("ls")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one session a line.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
def sessions_ls(as_json: bool, limit: int) -> None:
    """List sessions, newest first."""
    from .listing import print_sessions

    with _store() as store:
        print_sessions(store.runs(limit=limit), as_json=as_json)


@sessions.command("show")
@click.argument("session")
def sessions_show(session: str) -> None:
    """Show what is known of a SESSION."""
    from .listing import print_session

    with _store() as store:
        print_session(_session(store, session))


@sessions.command("rm")
@click.argument("session", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
def sessions_rm(session: tuple[str, ...], yes: bool) -> None:
    """Delete sessions, with the space they take."""
    with _store() as store:
        chosen = [_session(store, name) for name in session]
        for summary in chosen:
            if not yes:
                task = summary.task.strip().split("\n", 1)[0][:60]
                click.confirm(f"Delete {summary.id} ({task})?", abort=True)
            store.delete(summary.id)
            click.echo(f"deleted {summary.id}")


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


# --- what the commands share


def _overrides(options: dict[str, Any]) -> dict[str, Any]:
    names = {
        "model": "model.name",
        "base_url": "model.base_url",
        "temperature": "model.temperature",
        "sandbox": "sandbox.kind",
        "image": "sandbox.image",
        "network": "sandbox.network",
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


def _settings(overrides: dict[str, Any], theme: str | None) -> Settings:
    from ..core.config import load

    return load({**overrides, "ui.theme": theme})


@contextlib.contextmanager
def _store() -> Generator[Store, None, None]:
    from ..core.config import data_dir
    from ..sessions import Store

    store = Store(data_dir() / "sessions.db")
    try:
        yield store
    finally:
        store.close()


def _session(store: Store, name: str) -> RunSummary:
    if name != "last":
        return store.run(name)
    newest = store.runs(limit=1)
    if not newest:
        raise ConfigError("There is no session yet; `sandbox-tui demo` makes one.")
    return newest[0]


def _is_terminal() -> bool:
    return sys.stdout.isatty() and sys.stdin.isatty()


def _execute(requests: Sequence[RunRequest], *, headless: bool, as_json: bool) -> None:
    """Run to the end, on the screen where there is one."""
    with _store() as store:
        if headless or as_json or not _is_terminal():
            import asyncio

            from .headless import run_headless

            code = asyncio.run(run_headless(requests, store, as_json=as_json))
        else:
            code = _show(requests[0].settings, store, requests)
        if code != 0:
            _say_how_it_ended(store)
    sys.exit(code)


def _say_how_it_ended(store: Store) -> None:
    """The reason on stderr, where scripts and people look for it."""
    newest = store.runs(limit=1)
    if newest and newest[0].error:
        from ..core.text import clean_line

        words = clean_line(newest[0].error)
        click.echo(f"sandbox-tui: {newest[0].outcome}: {words} ({newest[0].id})", err=True)


def _show(settings: Settings, store: Store, begin: Sequence[RunRequest] | RunSummary | None) -> int:
    from .app import SandboxTui

    app = SandboxTui(settings, store, begin)
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
