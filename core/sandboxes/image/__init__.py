"""The container image models work in: build it, pull it."""
