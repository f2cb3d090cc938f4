"""Screens about one file of the sandbox."""
