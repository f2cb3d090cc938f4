"""The colours of code, derived from the palette so that code matches the theme."""

from __future__ import annotations

import functools

from pygments.token import (
    Comment,
    Error,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Token,
)
from rich.style import Style
from rich.syntax import SyntaxTheme

from sandbox_tui.tui.theming.palette import Palette


class PaletteSyntax(SyntaxTheme):
    """Styles for Pygments' tokens: keywords, strings and numbers in colour, the rest muted.

    Args:
        palette: the current one.
    """

    def __init__(self, palette: Palette) -> None:
        self._background = Style(bgcolor=None)
        self._styles: dict[tuple[str, ...], Style] = {
            Token: palette.text,
            Comment: palette.dim + Style(italic=True),
            Comment.Preproc: palette.model,
            Keyword: palette.tool,
            Keyword.Constant: palette.model,
            Operator: palette.dim,
            Operator.Word: palette.tool,
            Punctuation: palette.dim,
            Name: palette.text,
            Name.Builtin: palette.tool + Style(bold=False),
            Name.Class: palette.strong,
            Name.Decorator: palette.accent,
            Name.Exception: palette.bad,
            Name.Function: palette.strong,
            Name.Tag: palette.tool,
            Name.Attribute: palette.model,
            Name.Variable: palette.model,
            Number: palette.model,
            Literal: palette.model,
            String: palette.good,
            String.Doc: palette.good + Style(italic=True),
            String.Escape: palette.accent,
            String.Interpol: palette.accent,
            Error: palette.text,
            Generic.Deleted: palette.bad,
            Generic.Inserted: palette.good,
            Generic.Heading: palette.strong,
            Generic.Subheading: palette.strong,
            Generic.Emph: palette.text + Style(italic=True),
            Generic.Strong: palette.strong,
            Generic.Error: palette.bad,
        }

    def get_style_for_token(self, token_type: tuple[str, ...]) -> Style:
        """Return the style of a token, or of its nearest ancestor that has one."""
        kind = token_type
        while kind:
            if kind in self._styles:
                return self._styles[kind]
            kind = kind[:-1]
        return self._styles[Token]

    def get_background_style(self) -> Style:
        """None: code keeps the background that it is drawn on."""
        return self._background


@functools.lru_cache(8)
def syntax_theme(palette: Palette) -> PaletteSyntax:
    """Return the syntax theme for a palette."""
    return PaletteSyntax(palette)
