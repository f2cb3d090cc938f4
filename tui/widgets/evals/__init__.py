"""Widgets of evaluations: the table of domains, the samples, the charts."""
