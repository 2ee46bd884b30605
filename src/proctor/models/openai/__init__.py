"""OpenAI's protocol over our own HTTP client, for agents and judges: addresses, keys, responses and errors."""
