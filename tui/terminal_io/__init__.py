"""Communication with the terminal around the program: queries and escape sequences."""
