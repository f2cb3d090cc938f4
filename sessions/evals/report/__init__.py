"""Reports of evaluations: one file per format."""
