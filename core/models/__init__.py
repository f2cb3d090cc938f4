"""Model clients. A new one is one new file and a line in `factory`."""
