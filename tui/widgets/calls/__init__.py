"""The list of calls and the lines around it."""
