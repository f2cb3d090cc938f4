"""The formats in which models write calls. A new format is one file and a line in `table.py`."""
