"""Rewards: what the end of an episode is worth."""
