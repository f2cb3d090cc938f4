"""The classes of events, and the values they hold."""
