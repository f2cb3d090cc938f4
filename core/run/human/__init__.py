"""What the user may do to a run: its controls, shells, files and commands."""
