"""Sequences, doses and epidemiology."""
