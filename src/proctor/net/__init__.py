"""The one HTTP client, with bounds on size, time and redirects; rate limits that back off; streamed events."""
