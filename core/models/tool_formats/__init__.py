"""Tool calls that a model writes as text: parsed from its reply, and written in its own format.

`TextCallReader` (reader.py) reads a reply as it streams, `FAMILIES` (table.py) write calls and
observations. Nothing in here uses a server or a sandbox.
"""
