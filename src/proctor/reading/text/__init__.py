"""Reading text without a model: folding, words, numbers, dates, negation, overlap, claims."""
