"""The palette: actions, sessions, evaluations, models, themes and settings by name."""
