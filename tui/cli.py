"""The command line. Everything heavy is imported in the command that needs it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import ConfigError, SandboxTuiError
from . import crash
from .session_commands import sessions, snapshots
from .settings_commands import config_group, keys
from .stores import open_store, session_named, store_to_read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.config import Settings
    from ..core.events import Mode
    from ..core.launch import RunRequest
    from ..sessions import RunSummary, Store
    from .app import Begin

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
    crash.install()
    ctx.obj = theme
    if ctx.invoked_subcommand is None:
        settings = _settings({}, theme)
        with open_store() as store:
            code = _show(settings, store, None)
        sys.exit(code)


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
    settings = _settings(_overrides(options), theme)
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
    settings = _settings(_overrides(options), theme)
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
    settings = _settings({}, theme)
    with store_to_read() as store:
        summary = session_named(store, session)
        if headless or as_json or not _is_terminal():
            from .headless import writer_for

            write = writer_for(as_json)
            for event in store.events(summary.id):
                write(event)
            return
        _show(settings, store, summary)


@main.command()
@click.argument("session", default="last")
@click.option("--headless", is_flag=True, help="Lines of text instead of the screen.")
@click.option("--json", "as_json", is_flag=True, help="Events as JSON, one a line.")
@click.option("--detach", is_flag=True, help="In a program of its own, without a screen.")
@click.pass_obj
def resume(theme: str | None, session: str, headless: bool, as_json: bool, detach: bool) -> None:
    """Go on with a SESSION whose program was killed (its id, the beginning of it, or "last").

    Its sandbox must still be there: it outlives its program by sandbox.grace seconds.
    """
    code = 0
    settings = _settings({}, theme)
    with open_store() as store:
        run = session_named(store, session)
        if detach:
            from ..sessions.detached import Job, begin

            click.echo(begin(Job(settings=settings, resume=run.id)))
            return
        if headless or as_json or not _is_terminal():
            import asyncio

            from .headless import resume_headless

            code = asyncio.run(resume_headless(run, settings, store, as_json=as_json))
        else:
            from .app import Resume

            code = _show(settings, store, Resume(run))
        if code != 0:
            _say_how_it_ended(store, run.id)
    sys.exit(code)


@main.command()
@click.argument("session", required=False)
@click.option("--headless", is_flag=True, help="Lines of text instead of the screen.")
@click.option("--json", "as_json", is_flag=True, help="Events as JSON, one a line.")
@click.pass_obj
def attach(theme: str | None, session: str | None, headless: bool, as_json: bool) -> None:
    """Watch and steer a run that was begun with --detach (default: the newest such SESSION).

    Several screens may watch; one steers, and another takes over with T. Leaving ends nothing.
    """
    settings = _settings({}, theme)
    with open_store() as store:
        run = _detached(store, session)
        if headless or as_json or not _is_terminal():
            import asyncio

            from .headless import follow_headless

            code = asyncio.run(follow_headless(run, store, as_json=as_json))
        else:
            from .app import Attach

            code = _show(settings, store, Attach(run))
    sys.exit(code)


@main.command()
@click.argument("session", required=False)
def stop(session: str | None) -> None:
    """End a run that was begun with --detach, in order (default: the newest such SESSION)."""
    import asyncio

    from ..sessions.remote import RemoteWorker

    with open_store() as store:
        run = _detached(store, session)

        async def end() -> None:
            worker = RemoteWorker(run, store)
            await worker.stop("A person stopped the run.")
            worker.leave()
            if worker.failure is not None:
                raise worker.failure

        asyncio.run(end())
        click.echo(f"stopped {run.id}")


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
    settings = _settings(overrides, theme)
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
main.add_command(sessions)
main.add_command(snapshots)
main.add_command(config_group)

# --- what the commands share


def _mode(options: dict[str, Any], settings: Settings) -> Mode:
    """How a run begins. Without a screen there is nobody to step through it."""
    if options["step"] and options["mode"] not in (None, "step"):
        raise ConfigError(f"--step and --mode {options['mode']} do not go together.")
    mode = "step" if options["step"] else options["mode"] or settings.agent.mode
    if mode == "step" and (options["headless"] or options["as_json"] or not _is_terminal()):
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


def _settings(overrides: dict[str, Any], theme: str | None) -> Settings:
    from ..core.config import load

    return load({**overrides, "ui.theme": theme})


def _is_terminal() -> bool:
    served = "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")  # a browser is the terminal
    return served or (sys.stdout.isatty() and sys.stdin.isatty())


def _execute(requests: Sequence[RunRequest], options: dict[str, Any]) -> None:
    """Run to the end, on the screen where there is one; or have it run elsewhere."""
    headless, as_json = options["headless"], options["as_json"]
    if options["detach"]:
        _detach(requests)
        return
    with open_store() as store:
        if headless or as_json or not _is_terminal():
            import asyncio

            from .headless import run_headless

            code = asyncio.run(run_headless(requests, store, as_json=as_json))
        else:
            code = _show(requests[0].settings, store, requests)
        if code != 0:
            _say_how_it_ended(store)
    sys.exit(code)


def _detach(requests: Sequence[RunRequest]) -> None:
    from ..sessions.detached import Job, begin

    for request in requests:
        click.echo(begin(Job.of(request)))


def _detached(store: Store, name: str | None) -> RunSummary:
    """The session of this name, else the newest one, that runs in a program of its own."""
    from ..sessions.sockets import is_detached

    if name is not None and name != "last":
        found = store.run(name)
        if found.outcome != "running" or not is_detached(found.id):
            raise ConfigError(
                f"{found.id} is {found.outcome.replace('_', ' ')}, and not a detached run."
            )
        return found
    running = (run for run in store.runs(limit=500) if run.outcome == "running")
    for found in running:
        if is_detached(found.id):
            return found
    raise ConfigError("No run is detached; `sandbox-tui run --detach` starts one.")


def _say_how_it_ended(store: Store, run_id: str | None = None) -> None:
    """The reason on stderr, where scripts and people look for it."""
    runs = store.runs(limit=1) if run_id is None else [store.run(run_id)]
    if runs and runs[0].error:
        from ..core.text import clean_line

        words = clean_line(runs[0].error)
        if runs[0].outcome == "sandbox_error":
            words += f" `sandbox-tui fork {runs[0].id}` goes on from there in a new sandbox."
        click.echo(f"sandbox-tui: {runs[0].outcome}: {words} ({runs[0].id})", err=True)


def _show(settings: Settings, store: Store, begin: Begin | None) -> int:
    from . import graphics, terminal_engine

    with graphics.preparing(settings.ui.images):
        from .app import SandboxTui, end_for_sure

        terminal_engine.prepare(settings.ui.terminal_engine)
        app = SandboxTui(settings, store, begin)
    app.last_resort = end_for_sure
    try:
        app.run()
    finally:  # where Textual wrote everything else, too
        if app.last_words and sys.__stderr__ is not None:
            sys.__stderr__.write(app.last_words)
            sys.__stderr__.flush()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
