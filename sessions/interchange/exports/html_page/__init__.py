"""Builds the page of the HTML export and the data that it plays."""
