"""`sandbox-tui rl`: training in sandboxes, and the data for it."""
