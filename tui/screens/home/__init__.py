"""The home screen: sessions, search, and the form for a new run."""
