"""Deciding on a waiting call: allowing calls like it, reading it in full, what was allowed."""
