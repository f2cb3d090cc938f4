"""Screens for files of the sandbox."""
