"""Text processing without a model: normalisation, words, numbers, dates, negation, overlap, sentences."""
