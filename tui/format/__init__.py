"""Formats values as words: numbers, durations, the status and outcome of runs."""
