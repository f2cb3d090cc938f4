"""The palette: actions, sessions, models, themes and settings by name."""
