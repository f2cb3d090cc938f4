"""Training data: questions about documents, split without leaks."""
