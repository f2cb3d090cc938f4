"""Questions on documents that are generated from a seed and need no download."""
