"""The agent: its loop, the approvals it waits for, and what it says to the model."""
