"""Adapters between episodes and training engines; each engine has its own files and extra."""
