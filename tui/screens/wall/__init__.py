"""The wall: many runs on one screen."""
