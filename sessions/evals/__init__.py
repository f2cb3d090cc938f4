"""Runs evaluations: the runner, where samples run, and reports."""
