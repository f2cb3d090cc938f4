"""Evaluations as text, for the command line and the screens."""
