"""Migrations of the session database, and the code that applies them."""
