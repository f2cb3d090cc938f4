"""`sandbox-tui doctor`: checks the installation."""
