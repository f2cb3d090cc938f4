"""The parts of the screen of a training run."""
