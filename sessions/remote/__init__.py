"""Runs of other programs: served over a Unix socket, watched and steered from there."""
