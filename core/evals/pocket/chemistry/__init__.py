"""Chemistry, with a stated table of atomic weights."""
