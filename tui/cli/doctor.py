"""`sandbox-tui doctor`: reports what is installed, what is missing, and how to fix it."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import platform
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import click

from sandbox_tui.core.base.errors import ModelError, SandboxTuiError, ServerUnreachable
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.config.mistakes import Mistake, SettingsError
from sandbox_tui.core.config.settings import (
    ModelSettings,
    SandboxSettings,
    Settings,
    api_key,
    config_file,
    data_dir,
    lacks_key,
    load,
)
from sandbox_tui.core.config.valid_values import is_near, is_server_address
from sandbox_tui.core.models.discovery import (
    LocalServer,
    ask_for_models,
    find_local_servers,
    is_unlisted,
)
from sandbox_tui.core.models.error_mapping import redacted, without_secrets
from sandbox_tui.core.models.unlisted_model import ANY_NAME
from sandbox_tui.core.sandboxes.bubblewrap.availability import bubblewrap_problem
from sandbox_tui.core.sandboxes.docker.engine import engine_status
from sandbox_tui.core.sandboxes.image_name import DEFAULT_IMAGE, command_for_image
from sandbox_tui.tui.cli.settings.mistakes import in_full
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.lifecycle.config_mistakes import mistakes_of_screen, mistakes_of_themes

DEMO_ONLY = "ready for the demo; your own runs need a model, see the arrow"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        ok: True, False, or None for something optional.
        fix: a command or setting; empty if nothing is wrong.
        verdict: of the model: what the user can do while it is not ok.
    """

    name: str
    ok: bool | None
    words: str
    fix: str = ""
    verdict: str = DEMO_ONLY


SET_MODEL = (
    "sandbox-tui config set model.name NAME, and model.base_url URL for a server of your own"
)
"""How a model is set."""

_SET_SERVER = "sandbox-tui config set model.base_url URL"
_NO_ADDRESS = "the address must begin with http:// or https://, such as http://127.0.0.1:8000/v1"

MAX_NAMED = 5
"""Maximum number of a server's models that are named."""


def examine(*, ask_model: bool = False) -> int:
    """Print the findings; return 0 if a run can start, 2 if the settings are wrong, else 3.

    Args:
        ask_model: also request one tool call from the model in the settings.
    """
    findings = [_python(), *_settings(), *_sandboxes(), _database(), _terminal()]
    if ask_model:
        findings += [_tool_calls(), _context_length()]
    for finding in findings:
        sign = {True: "✓", False: "✗", None: "·"}[finding.ok]
        first, *more = finding.words.split("\n")
        click.echo(f"{sign} {finding.name:<11}{sanitize_line(first)}")
        for line in more:
            click.echo(f"  {'':<11}{sanitize_line(line)}")
        if finding.fix:
            click.echo(f"  {'':<11}→ {finding.fix}")
    good = all(finding.ok is not False for finding in findings)
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
    found = [Finding("settings", True, location), *_screen(), _model(settings)]
    return [*found, *_local_servers(settings.model)]


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


def _model(settings: Settings) -> Finding:
    model = settings.model
    has_key = api_key(model) is not None
    key = "a key is set" if has_key else f"{model.api_key_env} is not set"
    if model.name:
        server = without_secrets(model.base_url) or "the default server"
        words = f"{model.name} at {server}, {key}"
        if problem := _problem_at_server(model):
            return Finding("model", False, f"{words}\n{problem.words}", problem.fix)
        if model.base_url or has_key:
            return Finding("model", True, words)
        return Finding("model", None, words, f"export {model.api_key_env}=…")
    words = f"none chosen; {key}"
    last = _model_of_last_run(settings)
    if not last:
        return Finding("model", None, words, SET_MODEL)
    words += f"\nthe form for a new run offers {last}, from your last run; `run` needs --model"
    verdict = "ready; `sandbox-tui run` needs --model, or see the arrow"
    return Finding("model", None, words, SET_MODEL, verdict)


class _Problem(NamedTuple):
    """Why no run could use the model in the settings, and what to do."""

    words: str
    fix: str


def _problem_at_server(model: ModelSettings) -> _Problem | None:
    """Ask the server that the settings name for the model; return what is wrong, if anything is.

    Without a key, only servers on this machine and in its network get a request. A server without
    a list may have the model.
    """
    if not is_server_address(model.base_url):
        return _Problem(_NO_ADDRESS, _SET_SERVER) if model.base_url else None
    key = api_key(model)
    if key is None and not is_near(urlsplit(model.base_url).hostname or ""):
        return None
    try:
        server = asyncio.run(ask_for_models(model, key))
    except ServerUnreachable as error:
        where = without_secrets(model.base_url.rstrip("/"))
        reason = str(error).removeprefix(f"{where} ")
        return _Problem(f"the server does not answer: it {reason}", f"start it, or {_SET_SERVER}")
    except ModelError as error:
        wants_key = error.status in (401, 403)
        return _Problem(str(error), f"export {model.api_key_env}=…") if wants_key else None
    if server.kind == ANY_NAME or not is_unlisted(model.name, server.models):
        return None
    models = [redacted(name, key or "") for name in server.models]
    fix = shlex.join(["sandbox-tui", "config", "set", "model.name", models[0]])
    return _Problem(f"the server has no model {model.name}; it has {_some_of(models)}", fix)


def _model_of_last_run(settings: Settings) -> str:
    """Return the model that the form offers although no setting names it; empty if there is none
    that could be used."""
    from sandbox_tui.sessions import Store
    from sandbox_tui.sessions.relations.last_model import last_model, with_last_model

    path = data_dir() / "sessions.db"
    if not path.exists():
        return ""
    try:
        with Store.open_readonly_if_needed(path) as store:
            model = with_last_model(settings, last_model(store)).model
    except SandboxTuiError:  # `_database` reports it
        return ""
    return "" if lacks_key(model) else model.name


def _tool_calls() -> Finding:
    """Return how tool calls are exchanged with the model in the settings."""
    from sandbox_tui.core.agent.try_tool_calls import try_tool_calls
    from sandbox_tui.core.models.factory import open_model

    try:
        model = load().model
        if not model.name:
            return Finding("tool calls", False, "no model is set", SET_MODEL)
        trial = asyncio.run(try_tool_calls(open_model(model, api_key(model))))
    except SandboxTuiError as error:
        return Finding("tool calls", False, _in_short(error))
    words = f"{trial.format.title}. {trial.why}".rstrip()
    if trial.works:
        return Finding("tool calls", True, words)
    return Finding("tool calls", False, f"the model made no tool call; last format tried: {words}")


def _in_short(error: SandboxTuiError) -> str:
    """Return the words of an error; the mistakes in the settings are listed elsewhere."""
    return "the settings cannot be used" if isinstance(error, SettingsError) else str(error)


def _context_length() -> Finding:
    """Return the context length of the model in the settings."""
    from sandbox_tui.core.agent.request_with_retries import MIN_CONTEXT_TOKENS
    from sandbox_tui.core.models.context_length import find_context_length

    try:
        model = load().model
    except SandboxTuiError as error:
        return Finding("context", False, _in_short(error))
    if not model.name:
        return Finding("context", None, "no model is set")
    context = asyncio.run(find_context_length(model, api_key(model)))
    if context is None:
        return Finding("context", None, "the server does not report it")
    words = f"{numbers.context(context)} tokens, according to {context.source}"
    short = context.tokens < MIN_CONTEXT_TOKENS
    fix = "start the server with a longer context; docs/models.md says how" if short else ""
    return Finding("context", None if short else True, words, fix)


def _local_servers(model: ModelSettings) -> list[Finding]:
    """Return the model servers on loopback, whether chosen or not."""
    servers = asyncio.run(find_local_servers(model.local_ports))
    if not model.local_ports:
        return [Finding("servers", None, "not looked for: model.local_ports is empty")]
    if not servers:
        ports = ", ".join(str(port) for port in model.local_ports)
        return [Finding("servers", None, f"none found on this machine (ports {ports})")]
    return [_local_server(server, model) for server in servers]


def _local_server(server: LocalServer, model: ModelSettings) -> Finding:
    state = _some_of(server.models) or ("needs a key" if server.wants_key else "no model loaded")
    words = f"{server.kind} at {server.base_url}: {state}"
    if model.name or not server.models:
        return Finding("servers", True, words)
    command = shlex.join(["sandbox-tui", "config", "set", "model.name", server.models[0]])
    address = shlex.join(["sandbox-tui", "config", "set", "model.base_url", server.base_url])
    return Finding("servers", True, words, f"{command}; {address}")


def _some_of(models: Sequence[str]) -> str:
    return ", ".join(models[:MAX_NAMED]) + (" …" if len(models) > MAX_NAMED else "")


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
