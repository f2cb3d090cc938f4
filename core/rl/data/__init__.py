"""Data for training: questions on documents, split without a leak."""
