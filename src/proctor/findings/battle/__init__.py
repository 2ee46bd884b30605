"""What a conversation under pressure shows, as data: which turns are about one proposition, and what became of them."""
