"""What can happen in a run, how it is recorded in order, and the state that events add up to."""
