"""Access to the tables of the session database: one module per table or group of tables."""
