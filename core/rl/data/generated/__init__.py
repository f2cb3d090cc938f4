"""Questions about documents, generated from a seed; they need no download."""
