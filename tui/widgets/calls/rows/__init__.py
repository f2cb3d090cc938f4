"""Rows of the list of calls, one file per kind."""
