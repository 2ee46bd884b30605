"""Who judges: one file per kind of reviewer."""
