"""Additions to Textual: types, its private API in one place, toasts, races at exit."""
