"""Commands about saved sessions."""
