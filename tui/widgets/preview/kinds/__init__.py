"""The kinds of file with a preview of their own."""
