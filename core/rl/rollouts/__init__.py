"""Internals of episodes: turns, record and final reward."""
