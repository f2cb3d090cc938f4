"""Converts keys, pastes and clicks of the user to the bytes a terminal sends."""
