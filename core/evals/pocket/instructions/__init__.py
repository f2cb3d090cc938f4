"""Instruction following: texts under exact constraints."""
