"""Loads prompt packs: YAML files with the reference's keys.

A pack has `system_prompt` and `instance_prompt`, and may set `working_dir`, `input_dir` and
`output_dir`. In the prompts stand {working_dir}, {input_dir}, {output_dir}, {command_docs}, {demo}
and {problem_statement}; `{{` and `}}` mean braces, as in str.format, and any other brace stands for
itself, so that a pack written for the reference and one with JSON in it both load unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, cast

from ..errors import ConfigError

_DEFAULTS = {
    "working_dir": "/testbed",
    "input_dir": "/testbed/input",
    "output_dir": "/testbed/output",
}
_FIELD = re.compile(
    r"\{\{|\}\}|\{(working_dir|input_dir|output_dir|command_docs|demo|problem_statement)\}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPack:
    """A prompt pack.

    Attributes:
        name: of the built-in pack, or the file.
        system_prompt, instance_prompt: with their fields not yet filled in.
        working_dir, input_dir, output_dir: absolute paths in the sandbox.
    """

    name: str
    system_prompt: str
    instance_prompt: str
    working_dir: str
    input_dir: str
    output_dir: str

    def system(self, command_docs: str) -> str:
        """The system message."""
        return self._filled(self.system_prompt, command_docs=command_docs)

    def instance(self, task: str) -> str:
        """The first user message."""
        return self._filled(self.instance_prompt, problem_statement=task)

    def _filled(self, template: str, **fields: str) -> str:
        known = {
            "working_dir": self.working_dir,
            "input_dir": self.input_dir,
            "output_dir": self.output_dir,
            "demo": "",
            **fields,
        }

        def fill(match: re.Match[str]) -> str:
            name = match[1]
            return match[0][0] if name is None else known.get(name, match[0])

        return _FIELD.sub(fill, template)


def load_pack(name: str) -> PromptPack:
    """A built-in pack by name, or one from a file.

    Raises:
        ConfigError: there is none, or it lacks what a pack needs.
    """
    file = Path(name).expanduser()
    if file.suffix in (".yaml", ".yml"):
        try:
            return parse_pack(file.stem, file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"The prompt pack {name} cannot be read: {error}.") from error
    built_in = resources.files(__package__ or __name__)
    names = sorted(f.name.removesuffix(".yaml") for f in built_in.iterdir() if ".yaml" in f.name)
    if name not in names:
        raise ConfigError(
            f"There is no prompt pack {name!r}. Built in are {', '.join(names)}; a file's name "
            "must end in .yaml."
        )
    return parse_pack(name, (built_in / f"{name}.yaml").read_text(encoding="utf-8"))


def parse_pack(name: str, content: str) -> PromptPack:
    """A pack from YAML text.

    Raises:
        ConfigError: saying what is wrong where.
    """
    import yaml

    try:
        value: object = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise ConfigError(f"The prompt pack {name} is not valid YAML: {error}.") from error
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
