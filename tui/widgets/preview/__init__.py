"""Previews of files. A new kind is a file in `kinds/` and a line in its `registry`."""
