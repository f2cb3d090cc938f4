"""`sandbox-tui rl`: trains models in sandboxes and prepares the data."""
