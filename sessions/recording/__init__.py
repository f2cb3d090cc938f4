"""Runs that are recorded while they go on, and runs begun from recorded ones."""
