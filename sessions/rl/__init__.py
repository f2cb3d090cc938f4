"""Runs, records, reads and exports training runs."""
