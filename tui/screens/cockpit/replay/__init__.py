"""A saved session, played on the main screen."""
