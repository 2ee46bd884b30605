"""Numbers with their doubt: arrays in, Estimate out. Pure; nothing here reads a file or a clock."""
