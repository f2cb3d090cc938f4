"""Settings from the file, the environment and the command line, each overriding the one before.

The file is TOML: `config.toml` in the config folder. Keys are never written to it: an API key comes
from the environment (`OPENAI_API_KEY`, or the variable that `model.api_key_env` names).
"""

from __future__ import annotations

import ast
import os
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import msgspec
import platformdirs

from sandbox_tui.core.base.defaults import (
    GRACE_SECONDS,
    MAX_PROCESSES,
    OBSERVATION_CHARS,
    OBSERVATION_LINES,
)
from sandbox_tui.core.base.errors import ConfigError, refuse_deep_nesting
from sandbox_tui.core.config.expected_values import describe_error
from sandbox_tui.core.config.mistakes import SettingsError, find_mistakes
from sandbox_tui.core.config.plain_values import plain_value, with_plain_values
from sandbox_tui.core.events.types import Limits, ToolCallSetting
from sandbox_tui.core.policy.rules import Policy

APP = "sandbox-tui"


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the config file."""


class ModelSettings(Section, frozen=True, kw_only=True):
    """Which model to ask, and how.

    Attributes:
        name: the model's name as its server knows it.
        base_url: the server's address, usually ending in /v1; empty for OpenAI.
        api_key_env: environment variable that contains the key.
        temperature: sampling temperature; unset: the server's default.
        extra_body: additional fields for every request.
        tool_calls: how the model is asked for tool calls: native (the API's own fields),
            json_schema (guided decoding), text (in the reply), or auto: native, unless the
            first replies show that another format works.
        context_length: tokens that fit into the model's context; unset: what the server reports.
        request_timeout: maximum seconds for a whole reply.
        stall_timeout: seconds without a byte after which a request fails.
        local_ports: ports on which this machine is searched for servers.
    """

    name: str = ""
    base_url: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    temperature: float | None = None
    extra_body: dict[str, Any] = {}
    tool_calls: ToolCallSetting = "auto"
    context_length: Annotated[int, msgspec.Meta(gt=0)] | None = None
    request_timeout: float = 1200.0
    stall_timeout: float = 300.0
    # default ports of vLLM, SGLang, Ollama, LM Studio, llama.cpp and others
    local_ports: tuple[int, ...] = (8000, 30000, 11434, 1234, 8080)


class SandboxSettings(Section, frozen=True, kw_only=True):
    """Which computer to give it.

    Attributes:
        kind: auto, docker or bubblewrap.
        image: container image; empty for the default one.
        network: bridge, none, or auto: bridge in Docker, none in bubblewrap.
        memory: memory limit in bytes; unset: 2 GiB.
        cpus: number of CPUs; unset: all.
        pids: maximum number of processes.
        grace: seconds for which a sandbox outlives its killed program. That of a run whose
            terminal was closed, or whose model was unavailable, stays for at least half an hour.
        snapshots: when to take snapshots to fork from: off, auto (from time to time, after
            changes) or every (after every step).
        snapshots_kept: maximum number of snapshots of one run.
        snapshots_bytes: maximum total size of the snapshots of one run.
    """

    kind: Literal["auto", "docker", "bubblewrap"] = "auto"
    image: str = ""
    network: Literal["auto", "bridge", "none"] = "auto"
    memory: int | None = None
    cpus: float | None = None
    pids: int = MAX_PROCESSES
    grace: float = GRACE_SECONDS
    snapshots: Literal["off", "auto", "every"] = "auto"
    snapshots_kept: int = 12
    snapshots_bytes: int = 4 << 30


class AgentSettings(Section, frozen=True, kw_only=True):
    """How the agent works.

    Attributes:
        mode: mode in which runs start: auto, step (every call waits) or ask (the policy decides).
        prompts: a built-in prompt pack, or a file.
        observation_lines: maximum lines of one call's result that the model sees.
        observation_chars: maximum characters of one call's result that the model sees.
        output: host folder for results; each run gets a subfolder.
        tty: whether each command runs on its own terminal, with colours, progress bars and
            questions that you can answer.
    """

    mode: Literal["auto", "step", "ask"] = "auto"
    prompts: str = "general"
    observation_lines: int = OBSERVATION_LINES
    observation_chars: int = OBSERVATION_CHARS
    output: str = "output"
    tty: bool = False


class UiSettings(Section, frozen=True, kw_only=True):
    """How it looks.

    Attributes:
        theme: name of a theme, built in or in the config folder's themes/.
        animations: whether the screen may show animations.
        terminal_engine: emulator that draws live terminals: own (built in) or native
            (libghostty-vt, if `sandbox-tui[native]` is installed and works: faster for floods of
            full-screen output, but uses more memory).
        images: how pictures are drawn; auto asks the terminal, blocks works everywhere.
        notify: what happens when a run ends or needs you: bell (of the terminal), desktop
            (notification) or off.
        title: whether the terminal's title shows the run's status.
    """

    theme: str = "lamplight"
    animations: bool = True
    terminal_engine: Literal["own", "native"] = "own"
    images: Literal["auto", "kitty", "sixel", "blocks", "none"] = "auto"
    notify: Literal["bell", "desktop", "off"] = "bell"
    title: bool = True


class Settings(Section, frozen=True, kw_only=True):
    """Everything that can be set.

    Attributes:
        keys: key bindings, by action name; a mistake in one is reported on the screen, and the
            others still apply.
    """

    model: ModelSettings = ModelSettings()
    sandbox: SandboxSettings = SandboxSettings()
    limits: Limits = Limits()
    agent: AgentSettings = AgentSettings()
    policy: Policy = Policy()
    ui: UiSettings = UiSettings()
    keys: dict[str, Any] = {}


def sections() -> dict[str, type[msgspec.Struct]]:
    """Return the tables whose fields are known, by name."""
    fields = msgspec.structs.fields(Settings)
    return {field.name: field.type for field in fields if isinstance(field.type, type)}


def config_file() -> Path:
    """Return the path of the config file, which may not exist."""
    return config_dir() / "config.toml"


def home() -> Path | None:
    """Return the single folder that `SANDBOX_TUI_HOME` names for everything, or None."""
    value = os.environ.get("SANDBOX_TUI_HOME")
    return Path(value).expanduser() if value else None


def config_dir() -> Path:
    """Return the folder of config.toml, themes/ and prompts/."""
    return home() or platformdirs.user_config_path(APP)


def data_dir() -> Path:
    """Return the folder of the session database."""
    return home() or platformdirs.user_data_path(APP)


def snapshot_dir() -> Path:
    """Return the folder where embedded sandboxes keep their snapshots."""
    return data_dir() / "snapshots"


def load(
    overrides: Mapping[str, Any] | None = None,
    *,
    file: Path | None = None,
    tools: Collection[str] = (),
) -> Settings:
    """Return the effective settings.

    Args:
        overrides: from the command line, by dotted name (`{"model.name": "qwen3"}`); None values
            are left out.
        file: config file to read instead of the usual one.
        tools: names of tools besides the built-in and installed ones, for the rules of the policy.

    Raises:
        ConfigError: settings are invalid; the message names the file, and for each its line, its
            key and what is valid.
    """
    path = file or config_file()
    text, tables = read_toml(path)
    elsewhere = _put_environment(tables)
    for name, value in (overrides or {}).items():
        if value is not None:
            _set_value(tables, name, value)
            elsewhere[name] = "command line"
    if mistakes := find_mistakes(tables, Settings, text, elsewhere, tools):
        raise SettingsError(path, mistakes)
    return msgspec.convert(tables, Settings)


def load_usable(file: Path) -> tuple[Settings, dict[str, Any]]:
    """Return the settings of a file and the environment without the values that cannot be used, and
    those values by dotted name.

    Raises:
        ConfigError: the file is not TOML.
    """
    text, tables = read_toml(file)
    _put_environment(tables)
    usable: dict[str, dict[str, Any]] = {}
    unusable: dict[str, Any] = {}
    for section, table in tables.items():
        for key, value in cast(dict[str, Any], table).items() if isinstance(table, dict) else ():
            if find_mistakes({section: {key: value}}, Settings, text, {}):
                unusable[f"{section}.{key}"] = value
            else:
                usable.setdefault(section, {})[key] = value
    return msgspec.convert(usable, Settings), unusable


def changed(settings: Settings, overrides: Mapping[str, Any]) -> Settings:
    """Return the settings with some of them changed.

    Args:
        settings: the settings to start from.
        overrides: by dotted name, as in `load`.

    Raises:
        ConfigError: a value cannot be used; the message names it.
    """
    tables: dict[str, Any] = msgspec.to_builtins(settings)
    for name, value in overrides.items():
        _set_value(tables, name, value)
    try:
        return msgspec.convert(tables, Settings)
    except msgspec.ValidationError as error:
        wrong = describe_error(str(error), sections(), tables)
        raise ConfigError(f"Invalid setting: {wrong}") from error


def api_key(settings: ModelSettings) -> str | None:
    """Return the key for the model's server, from the environment; None when there is none."""
    return os.environ.get(settings.api_key_env) or None


def lacks_key(settings: ModelSettings) -> bool:
    """Return whether the model is hosted by OpenAI and there is no key for it."""
    return not settings.base_url and not api_key(settings)


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a config file and its tables; empty ones if there is no file.

    Raises:
        ConfigError: it cannot be read, or is not TOML; the message says the line and column.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return "", {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        text = raw.decode("utf-8").replace("\r\n", "\n")
        with refuse_deep_nesting(str(path)):
            return text, with_plain_values(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {_mistake(raw, error)}.") from error


def _mistake(raw: bytes, error: ValueError) -> str:
    """Return what is wrong with a file, and at which line and column."""
    if isinstance(error, UnicodeDecodeError):
        line, column = (
            raw.count(b"\n", 0, error.start) + 1,
            error.start - raw.rfind(b"\n", 0, error.start),
        )
        return f"Not UTF-8 text (at line {line}, column {column})"
    lines = raw.decode("utf-8").rstrip().splitlines() or [""]
    if unclosed := _unclosed_header(str(error), lines):
        return unclosed
    if twice := re.search(r"Cannot declare (\(.*\)) twice \(at line (\d+),", str(error)):
        table = ".".join(map(str, ast.literal_eval(twice[1])))
        return f"[{table}] is there twice (line {twice[2]})"
    if bare := re.match(r"Invalid value \(at line (\d+), column (\d+)\)", str(error)):
        return f"{error}{_about_bare_value(lines[int(bare[1]) - 1][int(bare[2]) - 1 :])}"
    end = f"at line {len(lines)}, column {len(lines[-1]) + 1}"
    return str(error).replace("at end of document", end)


def _unclosed_header(said: str, lines: Sequence[str]) -> str:
    """Return which header of a table lacks its closing brackets, according to an error; empty if
    it is about something else. Python's parser takes `[ui` for `[ui]` if that exists."""
    if not said.startswith(("Cannot declare", "Expected ']")):
        return ""
    place = re.search(r"\(at line (\d+),", said)
    number = int(place[1]) if place else len(lines)
    header = re.fullmatch(r"\s*(\[\[?)([^\[\]#]*?)(\]?)\s*(#.*)?", lines[number - 1])
    missing = len(header[1]) - len(header[3]) if header else 0
    if header is None or not missing:
        return ""
    written = "".join(header.group(1, 2, 3))
    place = f"at line {number}, column {header.end(3) + 1}"
    return f"{written.strip()} lacks its closing {']' * missing} ({place})"


def _about_bare_value(text: str) -> str:
    """Return what a word that is no TOML value lacks; empty for anything else."""
    word = re.match(r"[^\W\d]\w*", text)
    if word is None:
        return ""
    lowered = word[0].lower()
    return f"; write {lowered}" if lowered in ("true", "false") else "; text needs quotes"


def _put_environment(tables: dict[str, Any]) -> dict[str, str]:
    """Add `OPENAI_BASE_URL`, and `SANDBOX_TUI_<SECTION>_<FIELD>` for every field; return which
    variable sets each of them."""
    found: dict[str, str] = {}
    if url := os.environ.get("OPENAI_BASE_URL"):
        _set_value(tables, "model.base_url", url)
        found["model.base_url"] = "$OPENAI_BASE_URL"
    for section, kind in sections().items():
        for setting in msgspec.structs.fields(kind):
            if (value := os.environ.get(variable(section, setting.name))) is not None:
                _set_value(tables, f"{section}.{setting.name}", _typed(value, setting.type))
                found[f"{section}.{setting.name}"] = f"${variable(section, setting.name)}"
    return found


def variable(section: str, field: str) -> str:
    """Return the environment variable that sets a field."""
    return f"SANDBOX_TUI_{section}_{field}".upper()


def _typed(value: str, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError:
        pass
    try:
        return msgspec.json.decode(value.encode(), type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return value  # converting all settings reports what is wrong


def flat(tables: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Flatten nested tables: `live.approve = "y"` and `"live.approve" = "y"` are the same."""
    found: dict[str, Any] = {}
    for key, value in tables.items():
        if isinstance(value, Mapping):
            found |= flat(cast(Mapping[str, Any], value), f"{above}{key}.")
        else:
            found[above + key] = value
    return found


def _set_value(tables: dict[str, Any], name: str, value: Any) -> None:
    section, _, key = name.partition(".")
    table = tables.setdefault(section, {})
    if isinstance(table, dict):
        cast(dict[str, Any], table)[key] = plain_value(name, value)
