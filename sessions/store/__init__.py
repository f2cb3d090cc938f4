"""The database: its schema, its tables, and what is read from them."""
