"""Prompt packs of one reply, for a model without a computer: YAML files."""
