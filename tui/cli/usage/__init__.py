"""What is said about a command line that cannot be used, and the command `help`."""
