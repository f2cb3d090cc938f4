"""Search and filter of the list of calls."""
