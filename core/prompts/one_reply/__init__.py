"""Prompt packs for one reply, for a model without a computer: YAML files."""
