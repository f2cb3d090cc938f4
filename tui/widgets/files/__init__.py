"""The tree of the sandbox's files."""
