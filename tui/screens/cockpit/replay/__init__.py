"""A saved session, replayed on the main screen."""
