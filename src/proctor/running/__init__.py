"""Play attempts: plan → attempt → schedule. Takes role objects and yields records; independent of storage."""
