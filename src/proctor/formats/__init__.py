"""Files that people write → benchmarks: bytes in, rows and every error out."""
