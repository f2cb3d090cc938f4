"""The terminal pane: the mirror and a person's shells."""
