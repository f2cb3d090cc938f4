"""Suites: YAML files, each with a dataset, modes and scorers."""
