"""Sessions played back, from any moment, without reading them whole."""
