"""The kinds of file that have their own preview."""
