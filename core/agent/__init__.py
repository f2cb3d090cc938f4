"""The agent: its loop, its approvals, and the messages it sends to the model."""
