"""Rewards: the value of a finished episode."""
