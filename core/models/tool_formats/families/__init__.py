"""The formats in which models write calls. A new one is one file and a line in `table.py`."""
