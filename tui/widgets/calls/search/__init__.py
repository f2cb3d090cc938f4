"""Search and filter in the list of calls."""
