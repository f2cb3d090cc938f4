"""`sandbox-tui policy`: shows the rules, and checks them against a saved session."""
