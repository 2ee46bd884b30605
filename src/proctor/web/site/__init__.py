"""What pages and API share: the site, its jobs, forms, sessions and security."""
