"""Values in words: numbers, durations, how a run stands and ended."""
