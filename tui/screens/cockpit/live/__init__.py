"""A live run on the main screen."""
