"""The model's tools; `registry` lists them."""
