"""The form of a new evaluation: what its fields mean, and what it would start."""
