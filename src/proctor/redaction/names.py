"""Decide by the name of an option, header, argument or variable whether its value is a secret."""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_STRONG = (
    "password", "passwd", "passphrase", "passcode", "secret", "apikey", "token", "authorization", "credential",
    "credentials",
)  # fmt: skip
"""Suffixes that mark a secret anywhere in a name: DB_PASSWORD_2, clientSecret, PGPASSWORD."""
_WEAK = frozenset(
    {"pass", "pwd", "pw", "pat", "jwt", "auth", "cookie", "cookies", "bearer", "secrets", "cred", "creds", "mnemonic"}
)
"""Words that mark a secret at the end of a name."""
_OF_ADDRESSES = frozenset({"sig", "signature"})
"""Words that mark a secret only in headers and queries."""
_KEYS = frozenset(
    {"api", "access", "secret", "private", "auth", "subscription", "service", "account", "license", "signing", "client",
     "encryption", "master", "admin", "app", "functions", "session", "shared", "host"}
)  # fmt: skip
"""Words before `key` that make it a credential, unlike the key of a table."""
_COUNTED = frozenset({"max", "min", "first", "next", "per", "eos", "bos", "pad", "stop", "special", "num"})
"""Words before `token` that make it a token of a language model."""
_ABOUT = frozenset(
    {"limit", "limits", "count", "counts", "counter", "budget", "usage", "url", "uri", "endpoint", "type", "name",
     "names", "path", "file", "folder", "dir", "field", "header", "param", "parameter", "env", "var", "variable",
     "length", "size", "window", "rate", "ttl", "expiry", "expires", "seconds", "minute", "minutes", "hour", "day",
     "id", "ids", "stdin", "prompt", "policy", "mode", "scheme", "required", "enabled", "price", "prices", "cost",
     "format", "prefix", "suffix", "hint", "arn", "version", "scope", "issuer", "audience", "algorithm", "location",
     "sock", "estimate", "overlap", "per"}
)  # fmt: skip
"""Last words of names that describe a secret or count a model's tokens: password_file, token_limit."""
_NEVER = frozenset({"PWD", "OLDPWD"})
"""The current folder in every shell; in another spelling it is a password."""

NO_SECRETS = frozenset(
    {"password", "postgres", "changeme", "localhost", "required", "disabled", "username", "mypassword", "database",
     "undefined", "development", "production"}
)  # fmt: skip
"""Common default passwords that protect nothing; scrubbing such words would spoil replies."""


@lru_cache(maxsize=4096)
def says_secret(name: str, *, keys: bool = False) -> bool:
    """Whether a name marks a secret; `keys` includes any `…key`, as in headers, queries and the environment."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or name in _NEVER or words[-1] in _ABOUT:
        return False
    named = [word for word in words if not word.isdigit()] or words
    if named[-1] in _WEAK or (keys and named[-1] in _OF_ADDRESSES):
        return True
    return any(_names_secret(word, before, keys) for before, word in zip(["", *words], words, strict=False))


def _names_secret(word: str, before: str, keys: bool) -> bool:
    if word == "token":
        return before not in _COUNTED
    if word == "key":
        return keys or before in _KEYS
    return word.endswith(_STRONG)
