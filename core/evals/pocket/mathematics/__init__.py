"""Mathematics: arithmetic, number theory and counting, too large to do mentally."""
