"""What a model used its computer for: the three meta-capabilities of arXiv 2601.16206, by rules."""
