"""OpenAI's protocol over our own HTTP client: addresses and keys, answers, trouble; spoken by agents and by judges."""
