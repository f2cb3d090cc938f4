"""Checks the model and its server, and looks for servers on this machine."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from sandbox_tui.core.base.errors import ModelError, SandboxTuiError, ServerUnreachable
from sandbox_tui.core.config.mistakes import SettingsError
from sandbox_tui.core.config.setting_sources import variable_in_force
from sandbox_tui.core.config.settings import (
    ModelSettings,
    Settings,
    api_key,
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
from sandbox_tui.tui.cli.doctor.finding import Finding
from sandbox_tui.tui.format import numbers

SET_MODEL = (
    "sandbox-tui config set model.name NAME, and model.base_url URL for a server of your own"
)
"""How a model is set."""

_SET_NAME = "sandbox-tui config set model.name NAME"
_NO_ADDRESS = "the address must begin with http:// or https://, such as http://127.0.0.1:8000/v1"

MAX_NAMED = 5
"""Maximum number of a server's models that are named."""


def model_finding(settings: Settings) -> Finding:
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
    if model.base_url and is_server_address(model.base_url):
        return _offered(model)
    words = f"none chosen; {key}"
    last = _model_of_last_run(settings)
    if not last:
        return Finding("model", None, words, SET_MODEL)
    words += f"\nthe form for a new run offers {last}, from your last run; `run` needs --model"
    verdict = "ready; `sandbox-tui run` needs --model, or see the arrow"
    return Finding("model", None, words, SET_MODEL, verdict)


def _offered(model: ModelSettings) -> Finding:
    """Return which models the server in the settings offers, while none is chosen."""
    where, key = without_secrets(model.base_url), api_key(model)
    if key is None and not is_near(urlsplit(model.base_url).hostname or ""):
        words = f"none chosen; {where} is not asked without a key in {model.api_key_env}"
        return Finding("model", None, words, f"export {model.api_key_env}=…; {_SET_NAME}")
    try:
        server = asyncio.run(ask_for_models(model, key))
    except ServerUnreachable as error:
        problem = _not_answering(model, error)
        return Finding("model", None, f"none chosen; {where}: {problem.words}", problem.fix)
    except ModelError as error:
        wants_key = error.status in (401, 403)
        fix = f"export {model.api_key_env}=…" if wants_key else _SET_NAME
        return Finding("model", None, f"none chosen; {error}", fix)
    models = [redacted(name, key or "") for name in server.models]
    if not models:
        return Finding("model", None, f"none chosen; {where} has no model loaded", _SET_NAME)
    fix = shlex.join(["sandbox-tui", "config", "set", "model.name", models[0]])
    run = f"uses {models[0]}" if len(models) == 1 else "needs --model, or see the arrow"
    words = f"none chosen; {where} offers {_some_of(models)}"
    return Finding("model", None, words, fix, f"ready; `sandbox-tui run` {run}")


def _not_answering(model: ModelSettings, error: ServerUnreachable) -> _Problem:
    where = without_secrets(model.base_url.rstrip("/"))
    reason = str(error).removeprefix(f"{where} ")
    return _Problem(f"the server does not answer: it {reason}", f"start it, or {_set_server()}")


def _set_server() -> str:
    """Return how another server is set; a setting has no effect while a variable is set."""
    variable = variable_in_force("model", "base_url")
    return f"change ${variable}" if variable else "sandbox-tui config set model.base_url URL"


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
        return _Problem(_NO_ADDRESS, _set_server()) if model.base_url else None
    key = api_key(model)
    if key is None and not is_near(urlsplit(model.base_url).hostname or ""):
        return None
    try:
        server = asyncio.run(ask_for_models(model, key))
    except ServerUnreachable as error:
        return _not_answering(model, error)
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


def tool_calls_finding() -> Finding:
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


def context_length_finding() -> Finding:
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


def server_findings(model: ModelSettings) -> list[Finding]:
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
