"""Evaluations: their table of domains, their samples, their charts."""
