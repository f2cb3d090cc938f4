"""Loads prompt packs: YAML files with the reference's keys.

A pack has `system_prompt` and `instance_prompt`, and may set `working_dir`, `input_dir` and
`output_dir`. The prompts may use {working_dir}, {input_dir}, {output_dir}, {command_docs}, {demo}
and {problem_statement}; `{{` and `}}` stand for braces, as in str.format, and any other brace is
literal, so that packs written for the reference and packs with JSON in them load unchanged.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, cast

from sandbox_tui.core.base.defaults import INPUT_DIR, OUTPUT_DIR, WORKING_DIR
from sandbox_tui.core.base.errors import ConfigError, refuse_deep_nesting
from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.core.config.settings import config_dir
from sandbox_tui.core.prompts.yaml_problem import yaml_problem

_PROMPTS = "sandbox_tui.core.prompts"
_DEFAULTS = {
    "working_dir": WORKING_DIR,
    "input_dir": INPUT_DIR,
    "output_dir": OUTPUT_DIR,
}
_TOKEN = re.compile(
    r"\{\{|\}\}|\{(working_dir|input_dir|output_dir|command_docs|demo|problem_statement)\}|[{}]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPack:
    """A prompt pack.

    Attributes:
        name: name of the built-in pack or of the file.
        system_prompt, instance_prompt: templates.
        working_dir, input_dir, output_dir: absolute paths in the sandbox.
    """

    name: str
    system_prompt: str
    instance_prompt: str
    working_dir: str
    input_dir: str
    output_dir: str

    @property
    def digest(self) -> str:
        """A hash of the texts and directories, regardless of the name."""
        texts = (self.system_prompt, self.instance_prompt)
        data = repr((*texts, self.working_dir, self.input_dir, self.output_dir)).encode()
        return hashlib.sha256(data).hexdigest()[:16]

    def system(self, command_docs: str) -> str:
        """Render the system message."""
        return self._filled(self.system_prompt, command_docs=command_docs)

    def instance(self, task: str) -> str:
        """Render the first user message."""
        return self._filled(self.instance_prompt, problem_statement=task)

    def _filled(self, template: str, **fields: str) -> str:
        known = {
            "working_dir": self.working_dir,
            "input_dir": self.input_dir,
            "output_dir": self.output_dir,
            "demo": "",
            **fields,
        }

        return filled(template, known)


def filled(template: str, fields: Mapping[str, str]) -> str:
    """Fill in the fields of a template; unknown fields stay as written."""
    out: list[str] = []
    opened: list[str] = []
    at = 0
    while match := _TOKEN.search(template, at):
        token = match[0]
        out.append(template[at : match.start()])
        at = match.end()
        if match[1]:
            out.append(fields.get(match[1], token))
        elif token[0] == "{":
            opened.append(token)
            out.append("{")
        else:
            if token == "}}" and opened and opened[-1] == "{":
                at -= 1  # two literal braces, as at the end of JSON
            if opened:
                opened.pop()
            out.append("}")
    return "".join([*out, template[at:]])


def load_pack(name: str) -> PromptPack:
    """Load a pack from a file or by name: built in, or in prompts/ of the config folder.

    Raises:
        ConfigError: the pack lacks a key or does not exist; the message then lists the packs for a
            model with a computer.
    """
    return _load(name, _with_computer(), _one_reply_packs())


def pack_names() -> list[str]:
    """Return the names of the packs for a model with a computer."""
    return sorted(_with_computer())


def load_one_reply_pack(name: str) -> PromptPack:
    """Load a pack for a model without a computer, as `load_pack` does for one with a computer.

    Raises:
        ConfigError: the pack lacks a key or does not exist; the message then lists the packs for a
            model without a computer.
    """
    return _load(name, _one_reply_packs(), _with_computer())


def _load(
    name: str, offered: Mapping[str, Traversable], others: Mapping[str, Traversable]
) -> PromptPack:
    file = typed_path(name)
    if file.suffix in (".yaml", ".yml"):
        return _read(file.stem, file)
    known = {**others, **offered}  # both kinds load, because a fork keeps its parent's pack
    if name not in known:
        raise ConfigError(
            f"There is no prompt pack {name!r}. Known packs: {', '.join(sorted(offered))}; the "
            "name of a file must end in .yaml."
        )
    return _read(name, known[name])


def _with_computer() -> dict[str, Traversable]:
    return {**_in_folder(resources.files(_PROMPTS)), **_user_packs()}


def _one_reply_packs() -> dict[str, Traversable]:
    return {**_in_folder(resources.files(_PROMPTS) / "one_reply"), **_user_packs()}


def _user_packs() -> dict[str, Traversable]:
    """Return the user's own packs, which take precedence over the built-in ones."""
    return _in_folder(config_dir() / "prompts")


def _in_folder(folder: Traversable) -> dict[str, Traversable]:
    if not folder.is_dir():
        return {}
    files = (entry for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    return {entry.name.removesuffix(".yaml"): entry for entry in files}


def _read(name: str, file: Traversable) -> PromptPack:
    try:
        return parse_pack(name, file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The prompt pack {name} cannot be read: {error}.") from error


def parse_pack(name: str, content: str) -> PromptPack:
    """Parse a pack from YAML text.

    Raises:
        ConfigError: the pack is invalid; the message says what is wrong and where.
    """
    import yaml

    try:
        with refuse_deep_nesting(f"The prompt pack {name}"):
            value: object = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise ConfigError(
            f"The prompt pack {name} is not valid YAML: {yaml_problem(error)}."
        ) from error
    if not isinstance(value, dict):
        raise ConfigError(f"The prompt pack {name} must be a table of keys and texts.")
    fields = {str(k): v for k, v in cast(dict[Any, Any], value).items()}
    for key in ("system_prompt", "instance_prompt", *_DEFAULTS):
        if not isinstance(fields.get(key, _DEFAULTS.get(key)), str):
            raise ConfigError(f"The prompt pack {name} needs the key {key!r}, a text.")
    for key in _DEFAULTS:
        if not str(fields.get(key, "/")).startswith("/"):
            raise ConfigError(f"In the prompt pack {name}, {key} must be an absolute path.")
    return PromptPack(
        name=name,
        system_prompt=fields["system_prompt"],
        instance_prompt=fields["instance_prompt"],
        **{key: str(fields.get(key, default)) for key, default in _DEFAULTS.items()},
    )
