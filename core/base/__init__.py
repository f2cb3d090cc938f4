"""What every package of `core` may use: errors, text made safe, names of files, durations."""
