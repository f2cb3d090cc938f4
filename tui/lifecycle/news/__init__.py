"""What is new about the runs of this program, whichever screen is shown."""
