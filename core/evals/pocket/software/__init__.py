"""Software: small programs with failing tests."""
