"""Runs that continue other runs: recovery, resume and fork."""
