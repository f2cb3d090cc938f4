"""Scorers of the suites of arXiv 2601.16206."""
