"""Evaluations in the database: the ledger of samples, the runner, reports."""
