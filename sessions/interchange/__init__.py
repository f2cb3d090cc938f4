"""Sessions to and from files: exports, imports, bundles, and secrets taken out."""
