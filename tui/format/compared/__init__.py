"""What two compared sessions have, did and are doing, in words."""
