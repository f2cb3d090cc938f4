"""The rows of the list of sessions, and their order."""
