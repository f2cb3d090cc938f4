"""Runs recorded while they are active, and runs begun from recorded ones."""
