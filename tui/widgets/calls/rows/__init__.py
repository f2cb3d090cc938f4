"""The rows of the list of calls, a file for each kind."""
