"""Completes commands, options and what they take in a shell."""
