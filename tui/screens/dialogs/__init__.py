"""Dialogs, forms and pagers over another screen."""
