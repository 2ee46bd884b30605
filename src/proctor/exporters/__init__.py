"""Where results go: one file per destination, all through one sender, each saying what became of every item."""
