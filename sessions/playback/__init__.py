"""Plays sessions back from any position without reading them completely."""
