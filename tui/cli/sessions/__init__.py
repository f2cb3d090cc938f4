"""Commands for recorded sessions."""
