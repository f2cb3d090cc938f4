"""The protocol that carries commands and files between the program and any kind of sandbox."""
