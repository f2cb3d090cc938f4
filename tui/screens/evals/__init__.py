"""Screens of evaluations."""
