"""Rules that allow, deny or ask about calls, and the bash parser they use."""
