"""Runs evaluations on the nodes of a Ray cluster. Only `ray_cluster` imports Ray."""
