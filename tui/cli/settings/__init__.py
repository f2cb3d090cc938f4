"""The settings on the command line."""
