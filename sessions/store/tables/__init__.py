"""One file per table of the session database, or per family of tables."""
