"""What is asked of the terminal around the program, and what it is told."""
