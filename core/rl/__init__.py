"""Reinforcement learning in sandboxes: episodes, rewards and data for a trainer."""
