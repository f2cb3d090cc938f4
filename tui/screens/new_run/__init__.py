"""The form for new runs, and the runs that it starts."""
