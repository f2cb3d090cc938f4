"""Actions and their keys: the table, the keymap, and the order in which keys are handled."""
