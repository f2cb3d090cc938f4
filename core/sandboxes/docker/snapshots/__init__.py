"""Snapshots of containers: an image, and the state of the shell that images lack."""
