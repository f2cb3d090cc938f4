"""The container image in which models work, and the ways to make it."""
