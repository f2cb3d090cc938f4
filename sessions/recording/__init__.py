"""Records runs while they are active, and begins runs from recorded ones."""
