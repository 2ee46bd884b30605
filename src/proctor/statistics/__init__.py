"""Statistics with uncertainty: arrays in, Estimate out. Pure functions: no files, no clock."""
