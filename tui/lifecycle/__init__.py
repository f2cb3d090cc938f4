"""The program from its first screen to its exit."""
