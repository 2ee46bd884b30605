"""What makes two replies exclude each other: the rules of a conflict, and what they compare."""
