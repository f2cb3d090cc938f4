"""Biomedicine: sequences, doses and epidemiology."""
