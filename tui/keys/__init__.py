"""Actions and their keys: the table, the keymap, and sequential handling of keys."""
