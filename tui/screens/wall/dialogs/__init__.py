"""The dialogs of the wall: about one run, or all that it shows."""
