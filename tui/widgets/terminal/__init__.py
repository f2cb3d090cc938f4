"""The terminal pane: the mirror and the user's shells."""
