"""Training runs: all of them, and one with its curves and its rollouts."""
