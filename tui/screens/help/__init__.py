"""The help: the keys of a screen."""
