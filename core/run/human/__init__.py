"""What a person may do to a run: its controls, shells, files and commands."""
