"""Actions in the palette that screens have no keys for, and places to go to."""
