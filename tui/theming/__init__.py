"""Colours: theme palettes, syntax colours, theme files."""
