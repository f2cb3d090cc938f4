"""Converts questions and documents of any kind into tasks."""
