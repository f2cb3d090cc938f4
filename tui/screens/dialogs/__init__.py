"""Questions, forms and texts over another screen."""
