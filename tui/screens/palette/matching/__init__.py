"""Matches typed text with the words of entries."""
