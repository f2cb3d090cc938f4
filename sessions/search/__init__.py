"""Full-text search across all sessions and within one."""
