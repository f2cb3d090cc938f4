"""Evaluations: the same tasks with and without a computer, each sample a recorded run."""
