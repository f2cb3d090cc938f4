"""Where tools run: a sandbox with a file watcher, a freezer, a mirror and snapshots."""
