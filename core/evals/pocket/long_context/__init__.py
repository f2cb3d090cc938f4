"""Questions over documents that are longer than a model's window."""
