"""The events of a run, how they are recorded in order, and the state that they add up to."""
