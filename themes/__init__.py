"""Themes: TOML files, built in or in the user's config folder."""

from __future__ import annotations

from sandbox_tui.themes.loader import BrokenTheme, ThemeFile, load_themes

__all__ = ["BrokenTheme", "ThemeFile", "load_themes"]
