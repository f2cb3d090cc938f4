"""The session database: its schema, its tables, and typed readers."""
