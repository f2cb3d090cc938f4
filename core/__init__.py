"""The agent and its computer: runs, tools, models, sandboxes. Knows nothing of screens or databases."""
