"""Results of conversations under pressure: turns grouped by proposition, and how their answers changed."""
