"""The report of an evaluation: its table, and the forms in which the table is written."""
