"""The commands of `sandbox-tui eval`."""
