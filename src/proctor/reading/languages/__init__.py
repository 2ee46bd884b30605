"""Tables for other languages: small words, numbers, months, units, yes, no and negation, mapped to English."""
