"""HTTP client with limits on size, time and redirects; adaptive rate limits; server-sent events."""
