"""Finding the model server of a run, and waiting for it."""
