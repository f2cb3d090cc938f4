"""Options that several commands share, and the settings that they override."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import click

from sandbox_tui.core.base.errors import ConfigError, refuse_deep_nesting
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.tui.cli.completion.images import complete_image
from sandbox_tui.tui.cli.completion.names import complete_prompts, complete_theme, complete_tool
from sandbox_tui.tui.cli.completion.stored import complete_server
from sandbox_tui.tui.cli.settings.duration_option import DURATION
from sandbox_tui.tui.cli.settings.output_folder import OUTPUT_FOLDER
from sandbox_tui.tui.cli.show_app import is_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandbox_tui.core.config.settings import Settings
    from sandbox_tui.core.events.types import Mode


Decorator: TypeAlias = "Callable[[Any], Any]"

KINDS = ("auto", "docker", "bubblewrap")

FIRST_SECONDS = 10.0
"""How long a server is waited for that accepts no connections, unless the user says otherwise."""

headless_option = click.option(
    "--headless", is_flag=True, help="Print lines of text instead of opening the screen."
)
server_option = click.option(
    "--base-url",
    metavar="URL",
    shell_complete=complete_server,
    help="Address of an OpenAI-compatible server (…/v1).",
)
wait_for_server_option = click.option(
    "--wait-for-server",
    type=DURATION,
    metavar="TIME",
    help="Without a screen: how long to wait until the server accepts connections, as in 10m. "
    f"Default: {FIRST_SECONDS:g}s.",
)
sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(KINDS),
    help="Kind of sandbox; auto: Docker if it answers, else bubblewrap.",
)
image_option = click.option(
    "--image", metavar="NAME", shell_complete=complete_image, help="Container image (docker)."
)
network_option = click.option(
    "--network",
    type=click.Choice(["bridge", "none"]),
    help="Network of the sandbox; none: no network.",
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


def json_lines_option(of: str) -> Decorator:
    """Return `--json` for a command that prints these, one per line."""
    return click.option(
        "--json", "as_json", is_flag=True, help=f"Print {of} as JSON, one per line."
    )


def max_steps_option(of: str = "") -> Decorator:
    """Return `--max-steps` for what takes them, such as a sample."""
    help_words = f"Maximum number of steps{f' of {of}' if of else ''}."
    return click.option("--max-steps", type=click.IntRange(1), metavar="N", help=help_words)


def limit_options(of: str, conversation: str) -> Decorator:
    """Return the options that limit tokens and time of a run.

    Args:
        of: what takes the time, such as "the run".
        conversation: what the tokens are counted of.
    """
    return added(
        click.option(
            "--max-tokens",
            type=click.IntRange(1),
            metavar="N",
            help="Maximum tokens of one reply.",
        ),
        click.option(
            "--token-limit",
            type=click.IntRange(1),
            metavar="N",
            help=f"Maximum tokens of {conversation}.",
        ),
        click.option(
            "--time-limit",
            type=DURATION,
            metavar="TIME",
            help=f"Maximum time of {of}: seconds, or such as 90s, 30m or 1h30m.",
        ),
    )


def limit_option(of: str, default: int) -> Decorator:
    """Return the option of a command that lists or finds these."""
    return click.option(
        "--limit",
        metavar="N",
        type=click.IntRange(1),
        default=default,
        show_default=True,
        help=f"Maximum number of {of}.",
    )


def free_port_option(default: int) -> Decorator:
    """Return the option of a command that serves something, on a free port if that is 0."""
    return click.option(
        "--port",
        metavar="N",
        type=click.IntRange(0, 65535),
        default=default,
        show_default=True,
        help="Port to listen on; 0: a free one.",
    )


def list_options(of: str, default: int = 20) -> Decorator:
    """Return the options of a command that lists these."""
    return added(
        limit_option(of, default),
        click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line."),
    )


def delete_options(of: str) -> Decorator:
    """Return the options of a command that deletes what has sessions of these."""
    words = f"Also delete the sessions of their {of}."
    return added(click.option("--sessions", is_flag=True, help=words), yes_option)


def added(*options: Decorator) -> Decorator:
    """Return what adds several options to a command, in this order."""

    def add(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return add


request_options = added(
    click.option(
        "--temperature", type=click.FloatRange(0, 2), metavar="T", help="Sampling temperature."
    ),
    click.option(
        "--tool-calls",
        type=click.Choice(["auto", "native", "json_schema", "text"]),
        help="Format in which the model makes tool calls.",
    ),
    click.option("--extra-body", metavar="JSON", help="Extra request fields, as a JSON object."),
    click.option(
        "--seed",
        type=int,
        metavar="N",
        help=("Seed of the first request; steps and samples count up from it."),
    ),
)
"""The options for every request to a model."""

new_run_options = added(
    click.option(
        "--input",
        "input_",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="File or folder to copy into the sandbox.",
    ),
    click.option(
        "--tool",
        "tools",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_tool,
        help="Offer this tool; repeat for several. Default: all built-in ones.",
    ),
    click.option(
        "--label",
        "labels",
        multiple=True,
        metavar="KEY=VALUE",
        help="Record this label with the run; repeat for several.",
    ),
)
"""The options of a new run besides its task; a fork takes these from its parent."""

run_options = added(
    sandbox_option,
    image_option,
    network_option,
    click.option(
        "--snapshots",
        type=click.Choice(["off", "auto", "every"]),
        help=("When to take file snapshots to fork from: never, sometimes, after every step."),
    ),
    click.option(
        "--output",
        type=OUTPUT_FOLDER,
        metavar="DIR",
        help="Folder for the results.",
    ),
    click.option(
        "--prompts",
        metavar="PACK",
        shell_complete=complete_prompts,
        help="Name of a built-in prompt pack, or a YAML file.",
    ),
    max_steps_option(),
    limit_options("the run", "the conversation"),
    click.option(
        "--command-timeout",
        type=DURATION,
        metavar="TIME",
        help="Maximum time of a command: seconds, or such as 90s or 5m.",
    ),
    click.option(
        "--tty/--no-tty",
        default=None,
        help="Run commands on a terminal: colours, progress bars, questions.",
    ),
    click.option(
        "--mode",
        type=click.Choice(["auto", "step", "ask"]),
        help="auto: calls run; step: every call waits for you; ask: the policy decides.",
    ),
    click.option("--step", is_flag=True, help="Same as --mode step."),
    headless_option,
    json_lines_option("events"),
    click.option(
        "--detach",
        is_flag=True,
        help="Run in the background, in a separate process; print the session id.",
    ),
)
"""The options of commands that start a run."""


def run_mode(options: dict[str, Any], settings: Settings) -> Mode:
    """Return the initial mode of a run; `step` needs a screen."""
    if options["step"] and options["mode"] not in (None, "step"):
        raise ConfigError(f"--step and --mode {options['mode']} do not go together.")
    mode = "step" if options["step"] else options["mode"] or settings.agent.mode
    seen = options["detach"]  # a screen can attach later
    if (
        mode == "step"
        and not seen
        and (options["headless"] or options["as_json"] or not is_terminal())
    ):
        raise ConfigError(
            "--mode step needs the screen, because every call waits for you. Use --mode ask with a "
            "policy, or --mode auto."
        )
    return mode


def overrides_of(options: dict[str, Any]) -> dict[str, Any]:
    """Settings by dotted name from the options of a command; None for options not given."""
    names = {
        "model": "model.name",
        "base_url": "model.base_url",
        "temperature": "model.temperature",
        "tool_calls": "model.tool_calls",
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


def labels_of(assignments: Sequence[str]) -> dict[str, str]:
    """Parse labels from `KEY=VALUE`; the last one with a given key wins.

    Raises:
        ConfigError: a label has no key or no `=`.
    """
    labels: dict[str, str] = {}
    for text in assignments:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"--label takes KEY=VALUE, such as suite=nightly, not {text!r}.")
        labels[key.strip()] = value
    return labels


def _json_object(text: str) -> dict[str, Any]:
    from sandbox_tui.core.config.typed_json import mistake_in_json

    example = "'{\"top_k\": 20}'"
    try:
        with refuse_deep_nesting("--extra-body"):
            value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        words = f"--extra-body is not valid JSON: {mistake_in_json(error)}."
        raise ConfigError(f"{words} It takes a JSON object, such as {example}.") from error
    if not isinstance(value, dict):
        raise ConfigError(f"--extra-body takes a JSON object, such as {example}.")
    return value  # pyright: ignore[reportUnknownVariableType]


def _refuse_constant(name: str) -> NoReturn:
    raise ConfigError(f"--extra-body is not valid JSON, which has no {name}.")


def load_settings(overrides: dict[str, Any], theme: str | None) -> Settings:
    """Return the settings in force.

    Args:
        overrides: by dotted name; they override the file and the environment.
        theme: for this start only; None: as in the settings.
    """
    from sandbox_tui.core.config.settings import load

    return load({**overrides, "ui.theme": theme})


def settings_to_look(theme: str | None) -> Settings:
    """Return the settings in force for a screen that starts no run by itself; a setting that cannot
    be used and is harmless is a warning on stderr.

    Args:
        theme: for this start only; None: as in the settings.
    """
    from sandbox_tui.core.config.harmless_mistakes import load_despite_harmless

    settings, problem = load_despite_harmless({"ui.theme": theme})
    if problem:
        click.echo(f"sandbox-tui: {sanitize(problem)}", err=True)
    return settings


def known_theme(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    """Check the value of --theme when the command line is parsed.

    Raises:
        click.BadParameter: there is no such theme.
    """
    try:
        if name is not None:
            refuse_unknown_theme(name)
    except ConfigError as error:
        raise click.BadParameter(str(error)) from error
    return name


theme_option = click.option(
    "--theme",
    metavar="NAME",
    callback=known_theme,
    shell_complete=complete_theme,
    help="Theme for this start.",
)


def refuse_unknown_theme(name: str) -> None:
    """Refuse a theme that neither a theme file nor Textual has.

    Raises:
        ConfigError: its file is broken, or the message lists the known themes.
    """
    from sandbox_tui.core.config.settings import config_dir
    from sandbox_tui.tui.theming.theme_files import ThemeFiles

    files = ThemeFiles(config_dir() / "themes")
    if name not in files.names:
        meant = files.closest(name)
        if not meant and not files.is_broken(name):
            meant = f"Known themes: {', '.join(files.names)}."
        raise ConfigError(f"{sanitize_line(files.problem_of(name))}. {meant}".rstrip())
