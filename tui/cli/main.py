"""The command line. Each command imports what it needs when it is run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.process_identity import raise_file_limit
from sandbox_tui.tui.cli.command_group import Commands
from sandbox_tui.tui.cli.completion.command import completion
from sandbox_tui.tui.cli.completion.commands import complete_command_line
from sandbox_tui.tui.cli.completion.moments import complete_moment
from sandbox_tui.tui.cli.completion.stored import (
    complete_model,
    complete_resumable_run,
    complete_session,
)
from sandbox_tui.tui.cli.evals.commands import eval_group
from sandbox_tui.tui.cli.help_sections import CommandWithSections
from sandbox_tui.tui.cli.image_commands import image
from sandbox_tui.tui.cli.open_store import open_store, session_named, store_to_read
from sandbox_tui.tui.cli.options import (
    headless_option,
    json_lines_option,
    labels_of,
    load_settings,
    new_run_options,
    overrides_of,
    request_options,
    run_mode,
    run_options,
    server_option,
    settings_to_look,
    theme_option,
    wait_for_server_option,
)
from sandbox_tui.tui.cli.policy.commands import policy
from sandbox_tui.tui.cli.rl.commands import rl_group
from sandbox_tui.tui.cli.sessions.commands import sessions, snapshots
from sandbox_tui.tui.cli.sessions.detached_commands import attach, stop
from sandbox_tui.tui.cli.settings.keys_command import keys
from sandbox_tui.tui.cli.settings_commands import config_group
from sandbox_tui.tui.cli.show_app import is_terminal, say_how_it_ended, show
from sandbox_tui.tui.lifecycle import crash_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox_tui.core.run.run_request import RunRequest

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=Commands, invoke_without_command=True, context_settings=CONTEXT)
@click.version_option(None, "-V", "--version", package_name="sandbox-tui", prog_name="sandbox-tui")
@theme_option
@click.pass_context
def main(ctx: click.Context, theme: str | None) -> None:
    """Watch, steer and replay language models that work in a sandbox.

    Without a command, it opens the home screen: saved sessions and new runs.
    """
    crash_report.install()
    raise_file_limit()
    ctx.obj = theme
    if ctx.invoked_subcommand is None:
        if not is_terminal():
            raise ConfigError(
                "The home screen needs a terminal. `sandbox-tui --help` lists commands for pipes "
                "and scripts, such as `sandbox-tui sessions ls`."
            )
        settings = settings_to_look(theme)
        with open_store() as store:
            code = show(settings, store, None).code
        sys.exit(code)


@main.command(
    cls=CommandWithSections,
    short_help="Run a task with a model and watch it work.",
    examples=(
        'sandbox-tui run "What is the 1000th prime?" --base-url http://127.0.0.1:8000/v1 --model M',
        'sandbox-tui run "Summarise these reports" --input ./reports --output ./results --mode ask',
        "sandbox-tui run - --samples 8 --headless --json < task.txt > events.jsonl",
    ),
)
@click.argument("task", nargs=-1, required=True)
@click.option(
    "--samples",
    type=click.IntRange(1, 256),
    default=1,
    metavar="N",
    help="Number of runs per task.",
)
@click.option(
    "--model",
    metavar="NAME",
    shell_complete=complete_model,
    help="Model name, as the server knows it; several, separated by commas, run side by side.",
)
@server_option
@wait_for_server_option
@request_options
@new_run_options
@run_options
@click.pass_obj
def run(
    theme: str | None,
    task: tuple[str, ...],
    samples: int,
    input_: Path | None,
    **options: Any,
) -> None:
    """Run each TASK with a model and watch it work ("-" reads the task from stdin).

    Several tasks, models or samples run side by side.
    """
    from sandbox_tui.core.run.run_request import RunRequest, requests_for
    from sandbox_tui.core.tools.registry import tools_named
    from sandbox_tui.tui.cli.model_server.local_model import with_found_model
    from sandbox_tui.tui.cli.settings.task_from_stdin import tasks_of

    tasks = tasks_of(task)
    is_silent = options["headless"] or options["as_json"]
    can_ask = is_terminal() and sys.stderr.isatty() and not is_silent
    settings = with_found_model(load_settings(overrides_of(options), theme), can_ask=can_ask)
    request = RunRequest(
        task="",
        settings=settings,
        mode=run_mode(options, settings),
        input=input_,
        output=options["output"],
        tools=tuple(dict.fromkeys(options["tools"])) or None,
        labels=labels_of(options["labels"]),
        seed=options["seed"],
    )
    requests = requests_for(request, tasks, samples)
    tools_named(request.tools)  # refuses unknown names
    # what is missing is said when the run starts
    is_complete = all(text.strip() for text in tasks) and (input_ is None or input_.exists())
    if is_complete and not options["detach"] and (is_silent or not is_terminal()):
        from sandbox_tui.tui.cli.model_server.require_server import require_server

        require_server(settings.model, options)
    _execute(requests, options)


@main.command(
    cls=CommandWithSections, short_help="Watch a scripted run in a real sandbox: no API key needed."
)
@click.option(
    "--speed",
    type=click.FloatRange(0),
    default=1.0,
    metavar="X",
    help="Playback speed; 0 skips all pauses.",
)
@run_options
@click.pass_obj
def demo(theme: str | None, speed: float, **options: Any) -> None:
    """Watch a fixed script work in a real sandbox: no API key, no network, the whole cockpit."""
    given = overrides_of(options)
    settings = load_settings(given, theme)
    from sandbox_tui.tui.screens.home.demo_request import demo_request

    mode, output = run_mode(options, settings), options["output"]
    request = demo_request(settings, mode=mode, speed=speed, output=output, given=given)
    _execute([request], options)


@main.command(short_help="Replay a saved session.")
@click.argument("session", shell_complete=complete_session)
@headless_option
@json_lines_option("events")
@click.pass_obj
def replay(theme: str | None, session: str, headless: bool, as_json: bool) -> None:
    """Replay a saved SESSION (its id, part of it, or "last").

    "last" is the newest one that is no sample of an evaluation and no rollout of a training.
    """
    settings = settings_to_look(theme)
    with store_to_read() as store:
        summary = session_named(store, session)
        if headless or as_json or not is_terminal():
            from sandbox_tui.tui.cli.headless import last_resumed, writer_for

            write = writer_for(as_json, resumed_at=last_resumed(store, summary.id))
            for event in store.events(summary.id):
                write(event)
            return
        code = show(settings, store, summary).code
    sys.exit(code)


@main.command(
    short_help="Resume a session that was cut off: killed, disconnected or without a model."
)
@click.argument("session", default="last", shell_complete=complete_resumable_run)
@headless_option
@json_lines_option("events")
@click.option("--detach", is_flag=True, help="Run in the background, in a separate process.")
@wait_for_server_option
@click.pass_obj
def resume(theme: str | None, session: str, **options: Any) -> None:
    """Resume a SESSION whose program was killed, whose terminal was closed, or whose model was
    unavailable (its id, the start of it, or "last").

    Its sandbox must still exist: it outlives its program by sandbox.grace seconds.
    """
    from sandbox_tui.sessions.recording.resume_worker import request_of
    from sandbox_tui.tui.cli.run_to_resume import run_to_resume

    settings, as_json = load_settings({}, theme), options["as_json"]
    with open_store() as store:
        run = run_to_resume(store, session)
        if options["detach"]:
            from sandbox_tui.sessions.remote.detached import Job, begin
            from sandbox_tui.tui.cli.model_server.warn_unlisted import warn_unlisted

            click.echo(begin(Job(settings=settings, resume=run.id)))
            warn_unlisted([request_of(run, settings, store)])
            return
        if options["headless"] or as_json or not is_terminal():
            import asyncio

            from sandbox_tui.tui.cli.headless import resume_headless
            from sandbox_tui.tui.cli.model_server.require_server import require_server

            fix = f"start the model's server (`sandbox-tui fork {run.id} --base-url` uses another)"
            require_server(request_of(run, settings, store).settings.model, options, fix=fix)
            ended = asyncio.run(resume_headless(run, settings, store, as_json=as_json))
        else:
            from sandbox_tui.tui.lifecycle.first_screen import Resume

            ended = show(settings, store, Resume(run))
        say_how_it_ended(store, ended)
    sys.exit(ended.code)


@main.command(
    cls=CommandWithSections,
    short_help="Fork a saved session at any moment.",
    examples=(
        'sandbox-tui fork last --at step:4 --message "Use the standard library only."',
        """sandbox-tui fork ID --at call:7 --edit-call '{"command": "make -j1"}' --model M""",
    ),
)
@click.argument("session", shell_complete=complete_session)
@click.option(
    "--at",
    metavar="MOMENT",
    shell_complete=complete_moment,
    help="Where the fork starts. Default: the end, or before the step that submitted.",
)
@click.option("--model", metavar="NAME", shell_complete=complete_model, help="Use another model.")
@server_option
@wait_for_server_option
@request_options
@click.option("--task", metavar="TEXT", help="Use another task.")
@click.option(
    "--message", metavar="TEXT", default="", help="Send the model this message before it continues."
)
@click.option("--edit-call", metavar="JSON", help="Replace the arguments of the call at MOMENT.")
@click.option("--yes", is_flag=True, help="Run recorded calls again without asking.")
@click.option("--no-repeat", is_flag=True, help="Fail if recorded calls must be run again.")
@run_options
@click.pass_obj
def fork(theme: str | None, session: str, **options: Any) -> None:
    """Fork a saved SESSION at MOMENT, with the files of that moment.

    MOMENT is 5 or step:5 (its end), call:7 (its end; with --edit-call, before it), seq:123 or end.
    The files come from the nearest snapshot; calls recorded after it are run again.
    """
    from sandbox_tui.tui.cli.fork import execute_fork

    overrides = overrides_of(options)
    settings = load_settings(overrides, theme)
    mode = run_mode(options, settings) if options["mode"] or options["step"] else None
    with open_store() as store:
        code = execute_fork(
            store, session_named(store, session), settings, overrides, mode, options
        )
    sys.exit(code)


@main.command(short_help="Show two sessions side by side.")
@click.argument("left", shell_complete=complete_session)
@click.argument("right", required=False, shell_complete=complete_session)
@headless_option
@click.option("--diffs", is_flag=True, help="Print lines of text with a diff of each file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def compare(theme: str | None, left: str, right: str | None, **options: Any) -> None:
    """Show two sessions side by side: where they diverge, calls, files, tokens, cost, answer.

    A fork alone is compared with the session that it was forked from.
    """
    from sandbox_tui.tui.cli.sessions.compare import compare_sessions

    sys.exit(compare_sessions(left, right, theme, options))


@main.command(short_help="Check the installation and show how to fix it.")
@click.option("--ask-model", is_flag=True, help="Also ask the model for one tool call.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one finding per line.")
def doctor(ask_model: bool, as_json: bool) -> None:
    """Print what is installed, what is missing, and the command that fixes it.

    With --json, each finding has a name, ok (true, false, or null for what is optional), text and
    advice. The exit code is 0 if the demo can start, also without a model, which your own runs
    need.
    """
    from sandbox_tui.tui.cli.doctor.examine import examine

    sys.exit(examine(ask_model=ask_model, as_json=as_json))


@main.command(context_settings={"ignore_unknown_options": True})
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    show_default=True,
    help="Address to listen on.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8765,
    metavar="N",
    help="Port to listen on.",
    show_default=True,
)
@click.option("--public-url", metavar="URL", help="URL for browsers, behind a proxy.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, shell_complete=complete_command_line)
@click.pass_obj
def serve(
    theme: str | None, host: str, port: int, public_url: str | None, command: tuple[str, ...]
) -> None:
    """Show the cockpit in a browser.

    COMMAND is what each tab runs, for example: replay last (default: the home screen).
    """
    try:
        from sandbox_tui.tui.cli.serve import serve as serve_until_interrupted
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"`serve` needs {error.name}: pip install 'sandbox-tui[serve]'."
        ) from error
    themed = command if theme is None else ("--theme", theme, *command)
    serve_until_interrupted(themed, host, port, public_url)


main.add_command(attach)
main.add_command(completion)
main.add_command(eval_group)
main.add_command(image)
main.add_command(keys)
main.add_command(policy)
main.add_command(rl_group)
main.add_command(sessions)
main.add_command(snapshots)
main.add_command(stop)
main.add_command(config_group)

# --- shared by the commands


def _execute(requests: Sequence[RunRequest], options: dict[str, Any]) -> None:
    """Run all requests to the end, on the screen if there is one, or detached."""
    headless, as_json = options["headless"], options["as_json"]
    if options["detach"]:
        _detach(requests, as_json=options["as_json"])
        return
    with open_store() as store:
        if headless or as_json or not is_terminal():
            import asyncio

            from sandbox_tui.tui.cli.headless import run_headless

            ended = asyncio.run(run_headless(requests, store, as_json=as_json))
        else:
            ended = show(requests[0].settings, store, requests)
        say_how_it_ended(store, ended)
    sys.exit(ended.code)


def _detach(requests: Sequence[RunRequest], *, as_json: bool) -> None:
    from sandbox_tui.sessions.remote.detached import Job, begin
    from sandbox_tui.tui.cli.model_server.warn_unlisted import warn_unlisted

    for request in requests:
        run_id = begin(Job.of(request))
        click.echo(json.dumps({"id": run_id, "task": request.task}) if as_json else run_id)
    warn_unlisted(requests)
