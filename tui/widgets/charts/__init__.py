"""Curves over time or over steps, drawn in the terminal."""
