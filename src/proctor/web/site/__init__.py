"""Shared by pages and API: the site, its jobs, forms, sessions and security."""
