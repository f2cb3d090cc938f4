"""The shell scripts that run inside a sandbox."""
