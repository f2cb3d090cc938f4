"""A run: model, sandbox and agent put together, as one background worker."""
