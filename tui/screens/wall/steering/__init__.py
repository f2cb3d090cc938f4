"""What the keys of the wall do to its runs, and to which of them."""
