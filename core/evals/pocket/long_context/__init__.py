"""Long context: questions over documents that are longer than a model's context window."""
