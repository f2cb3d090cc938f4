"""`pocket`: tasks generated from a seed, with answers that can be checked exactly."""
