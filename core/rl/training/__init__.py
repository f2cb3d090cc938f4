"""Training: recipes, policies, engines."""
