"""The samples of an evaluation's screen: which are shown, and how one is opened."""
