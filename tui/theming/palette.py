"""The styles with which the cockpit's own widgets draw, derived from the current theme."""

from __future__ import annotations

import functools
import weakref
from dataclasses import dataclass
from typing import Literal

from rich.style import Style
from textual.dom import DOMNode
from textual.theme import Theme

from sandbox_tui.themes import ThemeFile


@dataclass(frozen=True, slots=True)
class Palette:
    """Rich styles by meaning.

    Attributes:
        highlight: name of the Pygments style for code.
        code_background: its background, as #rrggbb.
    """

    text: Style
    dim: Style
    faint: Style
    strong: Style
    accent: Style
    model: Style
    human: Style
    tool: Style
    good: Style
    bad: Style
    warn: Style
    code: Style
    selected: Style
    highlight: str
    code_background: str

    def of_role(self, role: Literal["good", "warn", "bad", "dim"]) -> Style:
        """Return the style of a role that a sign has."""
        return {"good": self.good, "warn": self.warn, "bad": self.bad, "dim": self.dim}[role]


def to_textual(theme: ThemeFile) -> Theme:
    """Convert a theme to Textual's type; roles become CSS variables `$role-model` and so on."""
    colors, roles = theme.colors, theme.roles
    return Theme(
        name=theme.name,
        dark=theme.dark,
        ansi=theme.ansi,
        primary=colors.primary,
        secondary=colors.secondary,
        accent=colors.accent,
        foreground=colors.foreground,
        background=colors.background,
        surface=colors.surface,
        panel=colors.panel,
        success=colors.success,
        warning=colors.warning,
        error=colors.error,
        variables={
            "role-model": roles.model,
            "role-human": roles.human,
            "role-tool": roles.tool,
            "role-dim": roles.dim,
            "role-faint": roles.faint,
            "role-code": roles.code,
            "role-select": roles.select,
            "border": colors.accent,
            "border-blurred": roles.faint,
            "block-cursor-background": roles.select,
            "block-cursor-foreground": colors.foreground,
            "input-selection-background": f"{colors.accent} 30%",
            "screen-selection-background": f"{colors.accent} 30%",
            "screen-selection-foreground": colors.foreground,
            "footer-key-foreground": colors.accent,
            "footer-background": colors.background,
            "footer-description-foreground": roles.dim,
            "scrollbar": roles.faint,
            "scrollbar-hover": roles.dim,
            "scrollbar-active": colors.accent,
            "scrollbar-background": colors.background,
            "scrollbar-background-hover": colors.background,
            "scrollbar-background-active": colors.background,
            "scrollbar-corner-color": colors.background,
            **(_ANSI_VARIABLES if theme.ansi else {}),
        },
    )


_ANSI_VARIABLES = {
    "ansi-background": "ansi_black",
    "ansi-foreground": "ansi_white",
    "block-cursor-background": "ansi_bright_black",
    "block-cursor-foreground": "ansi_white",
    "input-cursor-background": "ansi_white",
    "input-cursor-foreground": "ansi_black",
    "input-cursor-text-style": "none",
    "input-selection-background": "ansi_blue",
    "input-selection-foreground": "ansi_white",
    "screen-selection-background": "ansi_blue",
    "screen-selection-foreground": "ansi_white",
}
"""Variables that Textual needs for a theme made of the terminal's own colours."""


def palette_of(widget: DOMNode) -> Palette:
    """Return the current palette for a widget.

    Our own themes define their roles as CSS variables; for Textual's themes, the roles are derived
    from its colours. This is called for every line drawn, so the last result is cached; a changed
    theme is a different object.
    """
    global _latest  # noqa: PLW0603
    app = widget.app  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    theme = app.current_theme  # pyright: ignore[reportUnknownMemberType]
    if _latest is None or _latest[0]() is not app or _latest[1] is not theme:
        _latest = (weakref.ref(app), theme, _palette_now(widget))  # pyright: ignore[reportUnknownArgumentType]
    return _latest[2]


def selection_of(widget: DOMNode) -> Style:
    """Return the style of selected text. Most of Textual's own themes define only a background,
    which Textual then also uses as the foreground: in that case, the text keeps its colour."""
    look = widget.screen.get_component_rich_style("screen--selection")
    return Style(bgcolor=look.bgcolor) if look.color == look.bgcolor else look


_latest: tuple[weakref.ref[object], object, Palette] | None = None


def _palette_now(widget: DOMNode) -> Palette:
    variables: dict[str, str] = widget.app.get_css_variables()  # pyright: ignore[reportUnknownMemberType]
    return _palette(
        *(
            _plain(variables.get(f"role-{role}") or variables.get(other, ""))
            for role, other in _ROLES
        ),
        highlight="native" if widget.app.current_theme.dark else "friendly",  # pyright: ignore[reportUnknownMemberType]
    )


_ROLES = (
    ("text", "foreground"),
    ("accent", "accent"),
    ("good", "success"),
    ("bad", "error"),
    ("warn", "warning"),
    ("dim", "text-muted"),
    ("faint", "panel-lighten-2"),
    ("model", "secondary"),
    ("human", "accent"),
    ("tool", "primary"),
    ("code", "panel"),
    ("select", "panel-lighten-1"),
)
"""Roles, each with the Textual variable to use if a theme does not define the role."""


@functools.lru_cache(8)
def _palette(
    text: str,
    accent: str,
    good: str,
    bad: str,
    warn: str,
    dim: str,
    faint: str,
    model: str,
    human: str,
    tool: str,
    code: str,
    select: str,
    *,
    highlight: str,
) -> Palette:
    return Palette(
        text=Style.parse(text),
        dim=Style.parse(dim),
        faint=Style.parse(faint),
        strong=Style.parse(f"bold {text}"),
        accent=Style.parse(accent),
        model=Style.parse(model),
        human=Style.parse(human),
        tool=Style.parse(f"bold {tool}"),
        good=Style.parse(good),
        bad=Style.parse(bad),
        warn=Style.parse(warn),
        code=Style.parse(f"on {code}"),
        selected=Style.parse(f"on {select}"),
        highlight=highlight,
        code_background=code,
    )


def _plain(value: str) -> str:
    """Return a CSS colour in Rich's notation; unknown ones become the terminal's default."""
    if value.startswith("ansi_"):
        return value.removeprefix("ansi_")
    return value if value.startswith("#") and len(value) == 7 else "default"
