"""The embedded sandbox: Linux namespaces created with bubblewrap."""
