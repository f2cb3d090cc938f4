"""Runs with real language models."""
