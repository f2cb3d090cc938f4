"""The user's access to a run: controls, shells, files and commands."""
