"""Evaluations: the same tasks with and without a computer, each sample a recorded run.

"The reference" is llm-in-sandbox, the code published with arXiv 2601.16206.
"""
