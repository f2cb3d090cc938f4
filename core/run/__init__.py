"""A run: a model, a sandbox and an agent, combined in one background worker."""
