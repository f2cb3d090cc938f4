"""Scoring the recorded answers of an evaluation again."""
