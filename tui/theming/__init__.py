"""Colours: palettes of themes, syntax colours, theme files."""
