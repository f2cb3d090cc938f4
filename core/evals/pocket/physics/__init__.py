"""Physics with quantities in mixed units."""
