"""Reports of evaluations: one module per format."""
