"""What a model uses its computer for: the meta-capabilities of arXiv 2601.16206, found by rules."""
