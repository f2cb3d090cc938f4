"""Runs that continue others: recovery, resume and fork."""
