"""Computers for models: containers, and namespaces where no engine answers."""
