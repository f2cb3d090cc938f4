"""Sandboxes: Docker containers, and bubblewrap namespaces for machines without a Docker engine."""
