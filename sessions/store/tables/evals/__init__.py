"""Readings of evaluations besides their ledger."""
