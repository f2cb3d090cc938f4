"""The settings: what they are, where each came from, and the file they are written in."""
