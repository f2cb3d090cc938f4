"""The embedded sandbox: a namespace of its own, with bubblewrap."""
