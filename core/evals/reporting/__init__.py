"""The report of an evaluation: its table, and the figures and text shown with it."""
