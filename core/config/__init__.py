"""The settings: their definitions, the source of each value, and the config file."""
