"""The container image that models work in: building and pulling it."""
