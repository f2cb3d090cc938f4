"""The life of the program, from its first screen to its exit."""
