"""Scorers: each compares the answer of one sample with the target of its task."""
