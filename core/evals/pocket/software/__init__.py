"""Small programs with failing tests."""
