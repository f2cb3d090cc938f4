"""What every package of `core` may use: errors, sanitizing, path encoding, durations."""
