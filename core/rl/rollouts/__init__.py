"""How an episode works inside: its turns, its record, its end."""
