"""Training runs: recorded, read for a screen, exported."""
