"""The main screen, live and in replay."""
