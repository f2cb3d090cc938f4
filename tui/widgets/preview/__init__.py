"""Previews of files. A new kind is one file here and a line in `registry`."""
