"""What works on the row under the cursor of a list of sessions."""
