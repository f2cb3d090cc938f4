"""`sandbox-tui doctor`: reports what is installed, what is missing, and how to fix it."""

from __future__ import annotations

import dataclasses
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.config.mistakes import Mistake, SettingsError
from sandbox_tui.core.config.settings import (
    SandboxSettings,
    config_file,
    data_dir,
    load,
)
from sandbox_tui.core.sandboxes.bubblewrap.availability import bubblewrap_problem
from sandbox_tui.core.sandboxes.docker.engine import engine_status
from sandbox_tui.core.sandboxes.image_name import DEFAULT_IMAGE, command_for_image
from sandbox_tui.tui.cli.doctor.finding import Finding, json_of, lines_of
from sandbox_tui.tui.cli.doctor.model import (
    context_length_finding,
    model_finding,
    server_findings,
    tool_calls_finding,
)
from sandbox_tui.tui.cli.settings.mistakes import in_full
from sandbox_tui.tui.lifecycle.config_mistakes import mistakes_of_screen, mistakes_of_themes


def examine(*, ask_model: bool = False, as_json: bool = False) -> int:
    """Print the findings; return 0 if the demo can start, 2 if the settings are wrong, else 3.

    Args:
        ask_model: also request one tool call from the model in the settings.
        as_json: print a JSON object for each finding instead of text.
    """
    findings = [_python(), *_settings(), *_sandboxes(), _database(), _terminal()]
    if ask_model:
        findings += [tool_calls_finding(), context_length_finding()]
    for finding in findings:
        for line in [json_of(finding)] if as_json else lines_of(finding):
            click.echo(line)
    good = all(finding.ok is not False for finding in findings)
    if not as_json:
        click.echo(_verdict(findings) if good else "not ready: follow the arrows")
    wrong_settings = any(one.name == "settings" and one.ok is False for one in findings)
    return 0 if good else 2 if wrong_settings else 3


def _verdict(findings: list[Finding]) -> str:
    """Return what the user can do, given that nothing required is missing."""
    model = next((finding for finding in findings if finding.name == "model"), None)
    if model is not None and not model.ok:
        return model.verdict
    return "ready"


def _python() -> Finding:
    return Finding("python", True, f"{platform.python_version()} at {sys.executable}")


def _settings() -> list[Finding]:
    file = config_file()
    try:
        settings = load()
    except SandboxTuiError as error:
        whole = in_full(error)
        wrong = Finding("settings", False, sanitize(str(whole)), _fix_for(error))
        skipped = "not checked, because the settings cannot be used"
        unknown = [Finding(name, None, skipped) for name in ("model", "servers")]
        known = whole.mistakes if isinstance(whole, SettingsError) else ()
        return [wrong, *_theme_files(known), *unknown]
    location = str(file) if file.exists() else f"no file at {file}; the defaults apply"
    found = [Finding("settings", True, location), *_screen(), model_finding(settings)]
    return [*found, *server_findings(settings.model)]


def _fix_for(error: SandboxTuiError) -> str:
    """Return where to fix settings that cannot be used."""
    places = [f"edit {config_file()}"]
    if isinstance(error, SettingsError):
        places = [] if all(one.source for one in error.mistakes) else places
        variables = sorted({one.source for one in error.mistakes if one.source})
        places += [f"change or unset {', '.join(variables)}"] if variables else []
    return "; ".join(places)


def _screen() -> list[Finding]:
    """Return the mistakes in the theme, the keys and the names of variables, which stop nothing."""
    found = mistakes_of_screen()
    return [*map(_mistake_of_screen, found), *_theme_files(found)]


def _theme_files(known: Sequence[Mistake]) -> list[Finding]:
    """Return the theme files that cannot be used, except those of known mistakes; they stop
    nothing."""
    return [Finding("theme", None, words) for words in mistakes_of_themes(known)]


def _mistake_of_screen(mistake: Mistake) -> Finding:
    if mistake.words.startswith("ui.theme:"):
        return Finding("theme", None, str(mistake))
    if mistake.source:
        fix = f"rename or unset {sanitize_line(mistake.source)}"
        return Finding("settings", None, str(mistake), fix)
    return Finding("keys", None, str(mistake))


def _sandboxes() -> list[Finding]:
    """Check both kinds of sandbox; the one in the settings must work, or either if it is `auto`."""
    settings = _sandbox_settings()
    docker, bubblewrap = _docker(settings.image or DEFAULT_IMAGE), _bubblewrap()
    if docker.ok or bubblewrap.ok:
        automatic = "sandbox-tui config set sandbox.kind auto"
        if settings.kind == "docker":
            docker = _required(docker, automatic)
        elif settings.kind == "bubblewrap":
            bubblewrap = _required(bubblewrap, automatic)
    elif settings.kind == "docker":
        docker = _required(docker, "start a Docker engine")
    else:
        bubblewrap = _required(bubblewrap, "apt-get install bubblewrap, or start a Docker engine")
    return [docker, bubblewrap]


def _sandbox_settings() -> SandboxSettings:
    try:
        return load().sandbox
    except SandboxTuiError:  # `_settings` reports it
        return SandboxSettings()


def _docker(image: str) -> Finding:
    status = engine_status(image)
    if status.version is None:
        return Finding("docker", None, status.problem)
    if status.has_image:
        return Finding("docker", True, f"engine {status.version}, image {image}")
    words = f"engine {status.version}, no image {image}"
    return Finding("docker", None, words, command_for_image(image))


def _bubblewrap() -> Finding:
    problem = bubblewrap_problem()
    return Finding("bubblewrap", None if problem else True, problem or "works")


def _required(found: Finding, fix: str) -> Finding:
    """Turn the finding about an optional kind of sandbox into one about a required kind."""
    if found.ok:
        return found
    return dataclasses.replace(found, ok=False, fix=found.fix or fix)


def _database() -> Finding:
    from sandbox_tui.sessions import Store

    path = data_dir() / "sessions.db"
    if not path.exists():
        return _no_database(path)
    try:
        with Store.open_readonly_if_needed(path) as store:
            total, standalone = store.count(), store.count_standalone()
    except SandboxTuiError as error:
        return Finding("sessions", False, str(error))
    others = total - standalone
    more = f", and {others} of evaluations and training runs" if others else ""
    return Finding("sessions", True, f"{standalone} in {path}{more}")


def _no_database(path: Path) -> Finding:
    """Return whether the first run can create the database: whether files can be written there."""
    folder = next(above for above in path.parents if above.exists())
    try:
        with tempfile.TemporaryFile(dir=folder):
            return Finding("sessions", True, f"none yet; the first run creates {path}")
    except OSError as error:
        words = f"{path} cannot be created: {error.strerror}"
        return Finding("sessions", False, words, "export SANDBOX_TUI_HOME=… (a folder of yours)")


def _terminal() -> Finding:
    size = shutil.get_terminal_size()
    colours = os.environ.get("COLORTERM") or os.environ.get("TERM", "unknown")
    words = f"{size.columns}x{size.lines}, {colours}"
    if size.columns < 60:
        return Finding("terminal", None, words, "a wider terminal shows more")
    return Finding("terminal", True, words)
