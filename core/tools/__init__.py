"""The model's tools. Which ones there are is in `registry`."""
