"""Runs in other programs: served, watched and steered over a Unix socket."""
