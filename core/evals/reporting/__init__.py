"""The report of an evaluation: its table, and everything that the table is said in."""
