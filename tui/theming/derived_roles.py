"""Colours of roles for themes that do not define them, such as Textual's own."""

from __future__ import annotations

from textual.color import Color
from textual.theme import Theme

MIN_CONTRAST = 4.5
"""Minimum contrast of text (WCAG 2, level AA)."""

SELECT_TINTS = (0.25, 0.2, 0.15, 0.1)
"""Shares of the primary colour in a selected row; the first on which text is legible is used."""

_TEXTS = {
    "text": "foreground",
    "accent": "accent",
    "good": "success",
    "bad": "error",
    "warn": "warning",
    "model": "secondary",
    "human": "accent",
    "tool": "primary",
}
"""Roles of text, each with the colour of the theme that it is made of."""


def derived_roles(theme: Theme) -> dict[str, str]:
    """Return the CSS variables of all roles, derived from a theme's main colours; none if the theme
    defines its roles itself."""
    if "role-select" in theme.variables:
        return {}
    if theme.ansi:
        return _of_the_terminal(theme.dark)
    values = theme.to_color_system().generate()
    colors = {name: Color.parse(values[name]) for name in (*_TEXTS.values(), "background", "panel")}
    text, background = colors["foreground"], colors["background"]
    tints = [background.blend(colors["primary"], tint) for tint in SELECT_TINTS]
    select = next((tint for tint in tints if contrast(text, tint) >= MIN_CONTRAST), tints[-1])
    roles = {role: legible(colors[name], select) for role, name in _TEXTS.items()} | {
        "dim": legible(text.blend(background, 0.35), select),
        "faint": background.blend(text, 0.3),
        "code": colors["panel"],
        "select": select,
    }
    return {f"role-{role}": color.hex6 for role, color in roles.items()}


def legible(color: Color, ground: Color) -> Color:
    """Return a colour, moved towards white or black until text of it is legible on `ground`."""
    end = max((Color(255, 255, 255), Color(0, 0, 0)), key=lambda each: contrast(each, ground))
    steps = (color.blend(end, step / 10) for step in range(11))
    return next((each for each in steps if contrast(each, ground) >= MIN_CONTRAST), end)


def contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio of two colours as defined by WCAG 2, from 1 to 21."""
    low, high = sorted(_luminance(color) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: Color) -> float:
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in color.normalized
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def _of_the_terminal(dark: bool) -> dict[str, str]:
    """Return roles in the terminal's own sixteen colours."""
    return {
        "role-model": "ansi_magenta",
        "role-human": "ansi_yellow" if dark else "ansi_magenta",
        "role-tool": "ansi_blue",
        "role-dim": "ansi_bright_black",
        "role-faint": "ansi_bright_black",
        "role-code": "ansi_default",
        "role-select": "ansi_black" if dark else "ansi_white",
    }
