"""Converts sessions to and from files: exports, imports, bundles, redaction."""
