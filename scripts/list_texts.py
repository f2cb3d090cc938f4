"""List every text of the program that a user can read, with file and line.

    python scripts/list_texts.py [FOLDER...]

Parses the source with `ast`: string literals and f-strings that contain words, without docstrings,
annotations, SQL, patterns and texts for the model. After a change to many texts, read the list from
top to bottom: one term per thing, one style of capitals and full stops (see CONTRIBUTING.md).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]

FOR_THE_MODEL = (
    "core/evals/pocket/",
    "core/prompts/",
    "core/rl/data/generated/",
    "core/agent/model_messages.py",
)
"""Files with texts for the model: tasks and prompts."""

SHOWN_BY = {
    "Text", "append", "Static", "Label", "Button", "Option", "Hint", "hint", "notify", "Selection",
    "add_column", "add_columns", "set_status", "Choice", "join", "echo", "style", "write",
}  # fmt: skip
"""Calls whose arguments are displayed even if they are one lowercase word."""

SQL = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|WITH|FROM|WHERE|AND |ORDER|JOIN"
    r"|LEFT |VACUUM|BEGIN|REPLACE|GROUP)\b"
)
CODE = re.compile(r"\(\?|\\[dswb]|\[\^|^[#.&:>\w\s-]*\{\s|</?\w+[^>]*>|^--?\w|;$|^\w+\([^)]*\)$")


def main() -> None:
    folders = sys.argv[1:] or ["core", "sessions", "tui"]
    for file in sorted(file for folder in folders for file in _sources(ROOT / folder)):
        name = file.relative_to(ROOT).as_posix()
        if name.startswith(FOR_THE_MODEL):
            continue
        texts = list(_texts(ast.parse(file.read_text(encoding="utf-8"))))
        if texts:
            click.echo(f"\n{name}")
        for line, text in sorted(set(texts)):
            click.echo(f"{line:4}  {text}")


def _sources(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))


def _texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    hidden = _hidden(tree)
    shown = _arguments(tree)
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        text = _text(node)
        if text and (_is_text(text) or (id(node) in shown and re.search(r"[a-z]{2}", text))):
            yield getattr(node, "lineno", 0), text.replace("\n", "\\n")


def _text(node: ast.AST) -> str:
    """Return the text of a literal, with `{...}` for the values of an f-string."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    return "".join(
        "{" + ast.unparse(part.value) + "}" if isinstance(part, ast.FormattedValue) else _text(part)
        for part in node.values
    )


def _is_text(text: str) -> bool:
    if SQL.match(text) or CODE.search(text):
        return False
    words = re.search(r"[A-Za-z]{2,}[.,:;…!?)]* +[(A-Za-z{\"'`]|[}\"'`)] [A-Za-z]{2,}", text)
    if re.fullmatch(r"[a-z]+\[.*\]|[A-Z][a-z]", text):
        return False
    return bool(words or re.fullmatch(r"[A-Z][a-z]+[.…!?:]?", text))


def _hidden(tree: ast.Module) -> set[int]:
    """Ids of literals that are never displayed, such as docstrings, annotations and indices."""
    hidden: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant()):
                hidden.add(id(node.value))
            case ast.JoinedStr(values=values):
                hidden |= {id(part) for part in values if isinstance(part, ast.Constant)}
                specs = [p.format_spec for p in values if isinstance(p, ast.FormattedValue)]
                hidden |= {id(inner) for spec in specs if spec for inner in ast.walk(spec)}
            case (
                ast.AnnAssign(annotation=annotation) | ast.arg(annotation=ast.expr() as annotation)
            ):
                hidden |= {id(inner) for inner in ast.walk(annotation)}
            case ast.Subscript(slice=index):
                hidden |= {id(inner) for inner in ast.walk(index)}
            case ast.Assign(targets=[ast.Name(id="DEFAULT_CSS" | "CSS" | "__all__")], value=value):
                hidden |= {id(inner) for inner in ast.walk(value)}
            case _:
                pass
    return hidden


def _arguments(tree: ast.Module) -> set[int]:
    """Ids of literals passed directly to calls that display their arguments."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {
        id(argument)
        for call in calls
        if getattr(call.func, "id", getattr(call.func, "attr", "")) in SHOWN_BY
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(argument, ast.Constant | ast.JoinedStr)
    }


if __name__ == "__main__":
    main()
