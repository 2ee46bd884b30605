"""Where results go: one file per destination, all through one courier, each saying what became of every item."""
