"""Search in a terminal."""
