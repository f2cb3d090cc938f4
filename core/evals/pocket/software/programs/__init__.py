"""The programs, as they should be; the tasks give them away with bugs."""
