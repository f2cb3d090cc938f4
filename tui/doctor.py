"""`sandbox-tui doctor`: what is there, what is missing, and the one line that mends it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass

import click

from ..core.config import ModelSettings, api_key, config_dir, data_dir, load
from ..core.errors import SandboxTuiError
from ..core.sandboxes.bubblewrap import bubblewrap_problem
from ..core.sandboxes.docker_engine import DEFAULT_IMAGE, engine_status
from ..core.text import clean_line


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        ok: True, False, or None for something one can do without.
        mend: a command or setting, empty when nothing needs mending.
    """

    name: str
    ok: bool | None
    words: str
    mend: str = ""


def examine() -> int:
    """Print the findings; 0 when a run can be started, else 3."""
    findings = [_python(), *_settings(), *_sandboxes(), _database(), _terminal()]
    for finding in findings:
        sign = {True: "✓", False: "✗", None: "·"}[finding.ok]
        click.echo(f"{sign} {finding.name:<11}{clean_line(finding.words)}")
        if finding.mend:
            click.echo(f"  {'':<11}→ {finding.mend}")
    good = all(finding.ok is not False for finding in findings)
    click.echo("ready" if good else "something is missing; see the arrows")
    return 0 if good else 3


def _python() -> Finding:
    return Finding("python", True, f"{platform.python_version()} at {sys.executable}")


def _settings() -> list[Finding]:
    file = config_dir() / "config.toml"
    try:
        model = load().model
    except SandboxTuiError as error:
        return [Finding("settings", False, str(error), f"edit {file}")]
    where = str(file) if file.exists() else f"none at {file}; the defaults hold"
    return [Finding("settings", True, where), _model(model)]


def _model(model: ModelSettings) -> Finding:
    key = "a key is set" if api_key(model) else f"{model.api_key_env} is not set"
    if model.name:
        where = model.base_url or "the default server"
        return Finding("model", True, f"{model.name} at {where}, {key}")
    mend = "sandbox-tui run TASK --model NAME --base-url URL"
    return Finding("model", None, f"none chosen; {key}", mend)


def _sandboxes() -> list[Finding]:
    status = engine_status(DEFAULT_IMAGE)
    if status.version is None:
        docker = Finding("docker", None, status.problem)
    elif status.has_image:
        docker = Finding("docker", True, f"engine {status.version}, image {DEFAULT_IMAGE}")
    else:
        words = f"engine {status.version}, no image {DEFAULT_IMAGE}"
        docker = Finding("docker", None, words, "sandbox-tui image build")
    problem = bubblewrap_problem()
    bubblewrap = Finding("bubblewrap", None if problem else True, problem or "works")
    if not docker.ok and problem:
        mend = "apt-get install bubblewrap, or start a Docker engine"
        return [docker, Finding("bubblewrap", False, problem, mend)]
    return [docker, bubblewrap]


def _database() -> Finding:
    from ..sessions import Store

    path = data_dir() / "sessions.db"
    try:
        store = Store(path)
    except SandboxTuiError as error:
        return Finding("sessions", False, str(error))
    try:
        count = len(store.runs(limit=100_000))
    finally:
        store.close()
    return Finding("sessions", True, f"{count} in {path}")


def _terminal() -> Finding:
    size = shutil.get_terminal_size()
    colours = os.environ.get("COLORTERM") or os.environ.get("TERM", "unknown")
    words = f"{size.columns}x{size.lines}, {colours}"
    if size.columns < 60:
        return Finding("terminal", None, words, "a wider terminal shows more at once")
    return Finding("terminal", True, words)
