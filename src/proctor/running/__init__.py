"""Playing attempts: plan → attempt → schedule. It gets roles and yields records; it does not know storage."""
