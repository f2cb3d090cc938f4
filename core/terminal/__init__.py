"""The terminal: an emulator that keeps up, and the mirror that is written for it."""
