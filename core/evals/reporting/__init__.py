"""What every report of an evaluation says: its columns, facts and methods, in words."""
