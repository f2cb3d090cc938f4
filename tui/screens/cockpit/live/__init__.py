"""A run as it happens, on the main screen."""
