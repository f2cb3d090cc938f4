"""The HTTP side of model servers: event streams, limits on replies, and servers that come back."""
