"""Themes: TOML files, built in here and in the user's config folder."""

from __future__ import annotations

from sandbox_tui.themes.loader import BrokenTheme, ThemeFile, load_themes

__all__ = ["BrokenTheme", "ThemeFile", "load_themes"]
