"""Tool calls that a model writes as text: read from its reply, and written back in its own form.

`TextCallReader` (reader.py) reads a reply as it streams, `FAMILIES` (table.py) writes calls and
observations. Nothing in here asks a server or touches a sandbox.
"""
