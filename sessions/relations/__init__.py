"""How sessions relate: comparisons of two, trees of forks."""
