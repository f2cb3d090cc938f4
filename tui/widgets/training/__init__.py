"""Widgets of the training screen."""
