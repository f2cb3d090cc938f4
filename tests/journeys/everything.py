"""Everything a user can do with the program, read from the program's own definitions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click

from sandbox_tui.core.config.settings import sections
from sandbox_tui.sessions.interchange.exports import EXPORTERS
from sandbox_tui.sessions.interchange.imports import IMPORTERS
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.film.film_process import FILM
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.screens.setting_rows import ROWS

ROOT = Path(__file__).parents[2]
NEEDS = {"rl serve": "openenv", "rl serve-model": "torch"}
"""Commands that cannot run without an optional package; no test requires these packages."""

FIELDS = ("Input", "TextArea", "Select", "Checkbox", "Switch", "PathInput", "SearchLine", "Choice")


def everything() -> dict[str, set[str]]:
    """Return everything the journeys have to drive, by kind of evidence."""
    return {
        "action": set(ACTIONS),
        "option": set(_options(main, "")),
        "setting": {
            f"{section}.{name}"
            for section, kind in sections().items()
            for name in kind.__struct_fields__
        }
        | {"keys"},
        "field": set(_fields()),
        "export": {*EXPORTERS, FILM},
        "import": {importer.name for importer in IMPORTERS},
    }


def _options(command: click.Command, path: str) -> Iterator[str]:
    """Yield every command with its arguments and options, and the negative form of each flag."""
    if path in NEEDS and find_spec(NEEDS[path]) is None:
        return
    yield path
    context = click.Context(command, info_name=path, **command.context_settings)
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Argument):
            yield f"{path} {parameter.human_readable_name}".strip()
            continue
        for names in (parameter.opts, parameter.secondary_opts):
            # --help counts once, for the main command
            if names and not (path and "--help" in names):
                yield f"{path} {max(names, key=len)}".strip()
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from _options(below, f"{path} {name}".strip())


def _fields() -> Iterator[str]:
    """Yield every field of every form as `Class#id`, from the source of screens and widgets."""
    for folder in ("screens", "widgets"):
        for path in sorted((ROOT / "tui" / folder).rglob("*.py")):
            yield from _fields_of(ast.parse(path.read_text()))
    for rows in ROWS.values():
        for row in rows:
            yield f"SettingsScreen#{row.name.replace('.', '-').replace('_', '-')}"


def _fields_of(module: ast.Module) -> Iterator[str]:
    makers = {*FIELDS, *(f.name for f in module.body if _makes_field(f))}
    for owner in module.body:
        if not isinstance(owner, ast.ClassDef) or owner.name in FIELDS:
            continue
        for node in ast.walk(owner):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in makers and (name := _name_of(node)) is not None:
                yield f"{owner.name}#{name}"


def _makes_field(function: ast.stmt) -> bool:
    """Whether a function creates a field."""
    return isinstance(function, ast.FunctionDef) and any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FIELDS
        for node in ast.walk(function)
    )


def _name_of(call: ast.Call) -> str | None:
    """Return a field's id, else its class, else its kind; None if the id is computed (see ROWS)."""
    given = {word.arg: word.value for word in call.keywords}
    if call.func.id not in FIELDS and call.args:  # type: ignore[attr-defined]
        # a call of a function that creates a field: its first argument is the id
        first = call.args[0]
        if isinstance(first, ast.Constant):
            return str(first.value)
    if "id" in given:
        name = given["id"]
        return name.value if isinstance(name, ast.Constant) else None
    if "classes" in given:
        words = [n.value for n in ast.walk(given["classes"]) if isinstance(n, ast.Constant)]
        return next(word.split()[0] for word in words if isinstance(word, str))
    return {"PathInput": "input", "SearchLine": "input"}.get(call.func.id, call.func.id.lower())  # type: ignore[attr-defined]
