"""Lists of sessions and search results; the tiles of the wall."""
