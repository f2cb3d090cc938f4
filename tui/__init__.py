"""The screens and the command line: the only package that imports textual."""
