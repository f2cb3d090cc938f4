"""The agent and its computer. Knows nothing of screens or of databases."""
