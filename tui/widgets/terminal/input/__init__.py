"""What a person types, pastes and clicks, as the bytes a terminal sends."""
