"""Tables of other languages: their small words, numbers, months, units, yes, no and negation, in English."""
