"""Screens of training runs: the list, and one run with its curves and rollouts."""
