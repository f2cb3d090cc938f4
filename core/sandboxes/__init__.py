"""Sandboxes: containers, and namespaces where no engine answers."""
