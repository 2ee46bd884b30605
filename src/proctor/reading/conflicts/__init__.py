"""Rules that detect a conflict between two replies, and the comparisons they use."""
