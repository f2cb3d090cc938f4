"""Arithmetic, number theory and counting with numbers too large for the head."""
