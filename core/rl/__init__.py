"""Reinforcement learning in sandboxes: episodes, rewards and data for a trainer.

"The reference" is llm-in-sandbox, the code published with arXiv 2601.16206.
"""
