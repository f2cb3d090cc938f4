"""The correct programs; tasks insert bugs before they hand them out."""
