"""Model clients. A new client is one new file and a line in `factory`."""
