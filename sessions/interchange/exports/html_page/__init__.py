"""The page of the HTML export: its parts, and the session as the data it plays."""
