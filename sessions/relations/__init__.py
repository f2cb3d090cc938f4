"""Relations between sessions: comparisons of two, trees of forks."""
