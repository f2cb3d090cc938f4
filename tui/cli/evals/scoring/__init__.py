"""Commands about scorers, and about scoring again."""
