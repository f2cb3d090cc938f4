"""How commands and files travel between the program and a sandbox of any kind."""
