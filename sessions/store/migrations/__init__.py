"""Migrations of the session database, and what applies them."""
