"""Loaders: each reads tasks from one kind of dataset."""
