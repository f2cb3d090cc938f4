"""The terminal: a fast emulator, and the mirror of commands that is written for it."""
