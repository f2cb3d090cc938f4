"""Search in all sessions and within one."""
