"""Texts under exact constraints."""
