"""Find secrets by their format, by the name before them, or inside an address: one list for all uses.

Text counts as ordinary unless it has the key format of a real service; a word after `token` is just a word.
"""

from __future__ import annotations

import base64
import re
from binascii import Error as NoBase64
from collections.abc import Iterator
from typing import Any

from proctor.redaction.addresses import bare_of
from proctor.redaction.names import NO_SECRETS, says_secret

Span = tuple[int, int]

SERVICES: dict[str, str] = {
    "OpenAI, Anthropic, OpenRouter, Langfuse and many others": r"pk-lf-[\w-]{16,}"
    r"|(?<!-)sk-(?=[\w-]{16})(?:(?=[\w-]{0,200}\d)|(?:[a-z]{1,20}-)?\w{16})[\w-]*",
    "Stripe": r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[\w+/=]{24,}",
    "GitHub": r"gh[pousr]_\w{20,}|github_pat_\w{20,}",
    "GitLab": r"gl(?:pat|dt|rt|ptt|soat|cbt|ft|oas)-[\w.-]{16,}",
    "Slack": r"xox[abeprs]-[\w-]{10,}|xapp-\d-[\w-]{10,}|hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16,}",
    "Discord, Teams": r"discord(?:app)?\.com/api/webhooks/\d{10,}/[\w-]{20,}"
    r"|[\w-]{1,63}\.webhook\.office\.com/webhookb2/[\w@/-]{30,}",
    "Telegram": r"(?:bot)?\d{8,10}:AA[\w-]{30,}",
    "AWS": r"(?:AKIA[0-9A-Z]{16}|(?:ASIA|ABIA|ACCA)(?=[A-Z]*\d)[0-9A-Z]{16})\b",
    "Google": r"AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,}",
    "JSON Web Tokens": r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}",
    "Hugging Face": r"hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{30,}",
    "LangSmith": r"lsv2_(?:pt|sk)_[0-9a-f]{20,}(?:_[0-9a-f]+)?|ls__[0-9a-f]{32}",
    "Groq, Cerebras, Replicate, xAI, Perplexity": r"[gc]sk[_-][A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}"
    r"|xai-[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{30,}",
    "NVIDIA, Pinecone, Tavily, Fireworks, LlamaCloud, Jina, E2B, Firecrawl, ElevenLabs": r"nvapi-[\w-]{30,}"
    r"|pcsk_\w{30,}|tvly-[\w-]{20,}|fw_[A-Za-z0-9]{20,}|llx-[A-Za-z0-9]{30,}|jina_[A-Za-z0-9]{30,}|e2b_[0-9a-f]{32,}"
    r"|fc-[0-9a-f]{32}|sk_[0-9a-f]{40,}",
    "npm, PyPI, RubyGems, Docker": r"npm_[A-Za-z0-9]{30,}|pypi-AgE[\w-]{16,}|rubygems_[0-9a-f]{40,}"
    r"|dckr_pat_[\w-]{20,}",
    "DigitalOcean, Vault, Databricks, Doppler": r"do[opr]_v1_[0-9a-f]{40,}|hv[sb]\.[\w-]{24,}|dapi[0-9a-f]{32}\b"
    r"|dp\.(?:pt|st|ct)\.[\w.-]{30,}",
    "SendGrid, Mailgun, Mailchimp, Twilio": r"SG\.[\w-]{16,}\.[\w-]{16,}|key-[0-9a-f]{32}\b|[0-9a-f]{32}-us\d{1,2}\b"
    r"|SK[0-9a-f]{32}\b",
    "Shopify, Square": r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0(?:atp|csp)-[\w-]{20,}",
    "Notion, Linear, Airtable, Figma, Postman, Atlassian": r"ntn_[A-Za-z0-9]{30,}|lin_api_[A-Za-z0-9]{30,}"
    r"|pat[A-Za-z0-9]{14}\.[0-9a-f]{60,}|figd_[\w-]{30,}|PMAK-[0-9a-f-]{40,}|ATATT3x[\w=-]{30,}|ATBB[A-Za-z0-9]{28,}",
    "Grafana, New Relic, Sentry, PlanetScale, Supabase": r"gl(?:sa|c)_[\w+/=]{32,}|NRAK-[A-Z0-9]{20,}"
    r"|sntry[su]_[\w=+/-]{30,}|pscale_(?:tkn|pw|oauth)_[\w.-]{30,}|sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,}",
    "age, 1Password": r"AGE-SECRET-KEY-1[0-9A-Z]{50,}|ops_eyJ[\w-]{30,}",
}
"""Service → pattern of its keys; each must start at a word boundary."""
_BEARER = r"(?i:bearer\s+)(?=[A-Za-z._~+/=-]*\d)(?=[\d._~+/=-]*[A-Za-z])[\w.~+/=-]{10,}"
SHAPES = re.compile(rf"(?<!\w)(?:{'|'.join(SERVICES.values())}|{_BEARER})|-----BEGIN [A-Z ]*PRIVATE KEY")
_SHORTEST = 16
"""Minimum length in characters of an unbroken piece of text that can be a service's key."""
_BEGINNINGS = (
    "k-", "k_", "whsec_", "gh", "gl", "xox", "xapp-", "hooks.slack", "/webhook", ":aa", "akia", "asia", "abia", "acca",
    "aiza", "ya29.", "gocspx-", "1//0", "eyj", "hf_", "api_org_", "lsv2_", "ls__", "r8_", "xai-", "pplx-", "nvapi-",
    "tvly-", "fw_", "llx-", "jina_", "e2b_", "fc-", "npm_", "pypi-", "rubygems_", "_pat_", "_v1_", "hvs.", "hvb.",
    "dapi",
    "dp.", "sg.", "key-", "-us", "sk", "shp", "sq0", "ntn_", "lin_api_", "pat", "figd_", "pmak-", "atatt3x", "atbb",
    "nrak-", "sntry", "pscale_", "sb", "ops_ey", "bearer", "basic", "private key",
)  # fmt: skip
"""Lower-case substrings of which every key contains one."""
_BASIC = re.compile(r"(?i:\bbasic\s+)([A-Za-z0-9+/]{8,}={0,2})(?![\w+/=])")
_REST = re.compile(r"(?:[\w.~+/=-]*[\w~+/=-])?")
_BLOCK_END = re.compile(r"-----END [A-Z ]*-----|\Z")
_NAMED = re.compile(
    r"(?<![\w.-])\\?[\"']?([\w.-]{2,60})\\?[\"']?\s{0,3}([:=])\s{0,3}"
    r"(?:\\?\"([^\"\\\n\[]{4,512})\\?\"|'([^'\n\[]{4,512})'"
    r"|((?:[^\s;&,'\"{}<>\[\]\\]|&(?![\w.-]{1,60}=)){4,512}+(?![\[(])))"
)
_TOLD = re.compile(r"(?i)\b(pass(?:word|phrase|code)) (?:is|was) [\"']?([^\s\"']{4,})")
_SAYING = ("key", "token", "secret", "pass", "pwd", "auth", "credential", "pat", "jwt", "cookie", "bearer", "sig")
"""Lower-case substrings of which every name of a secret contains one."""
_LOGIN = re.compile(r"://[^/?#\s:@]*:([^/?#\s@]+)@")
_FILLED = re.compile(r"\$\{\w+\}|\$[A-Z_][A-Z0-9_]*|\{\{[^{}]*\}\}|<[\w -]+>|\[[\w-]+\]|%\w+%|[*xX.…•]+")
_WORDS = NO_SECRETS | {
    "true",
    "false",
    "none",
    "null",
    "string",
    "optional",
    "hidden",
    "empty",
    "unknown",
    "pass",
    "passwd",
    "secret",
    "value",
    "token",
    "username",
    "passw0rd",
    "password1",
    "yourpassword",
}
_EXPRESSION = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]+(?:_[A-Za-z]+)+|#[0-9A-Fa-f]{3,8}")
"""Match an attribute, a variable name, or a colour."""
_AFTER = ").,;:!?`"
"""Punctuation that belongs to the sentence."""
_NUMBERS = re.compile(r"[\d.,:/+-]*[.,:/+-][\d.,:/+-]*")
_LONG = re.compile(r"(?=[^\d]*\d)(?![a-z]+(?:[._-](?:[a-z]+|\d+))+\Z)[\w+/=.~%-]{16,}")
"""Match long values with digits, as keys are, but not hyphenated words and numbers."""
_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "pass")
_SURE = re.compile(
    r"(?i)(?:api|access|auth|refresh|session|bot|client|private|secret|signing|account|subscription)[_.-]?"
    r"(?:key|token|secret)$|authorization$|apikey$|credentials?$"
)
"""Match names that can only mean a credential; a `token` may also be a model's."""


def secrets_in(text: str) -> Iterator[Span]:
    """Yield the spans of secrets in a text; they may overlap."""
    if len(text) >= _SHORTEST and _may_have_shapes(text):
        yield from _shapes_in(text)
    for match in _TOLD.finditer(text) if " is " in text or " was " in text else ():
        if _is_value(match[1], match[2], plainly=False):
            yield match.span(2)
    if "=" in text or ":" in text:
        lower = text.lower()
        if any(map(lower.__contains__, _SAYING)):
            yield from _named_in(text)
        if "://" in text:
            yield from (login.span(1) for login in _LOGIN.finditer(text) if _is_meant(login[1]))


def mask_secrets(text: str) -> tuple[str, int]:
    """Return a text with its secrets masked, and their number; a quick check skips most texts."""
    masked, end, found = [], 0, 0
    for start, stop in sorted(secrets_in(text)):
        if stop > end:
            masked += [text[end : max(start, end)], "[secret]" if start >= end else ""]
            end, found = stop, found + (start >= end)
    return ("".join([*masked, text[end:]]), found) if masked else (text, 0)


def holds_secret(name: str, value: Any, *, keys: bool = False) -> bool:
    """Whether name and value both indicate a secret; `keys` as in a header or query."""
    if not says_secret(name, keys=keys):
        return False
    if isinstance(value, int) and not isinstance(value, bool):
        return name.lower().endswith(_PASSWORDS[:4]) and value > 99_999
    return isinstance(value, str) and _is_value(name, bare_of(value), plainly=True)


def mentions_secret(name: str, value: str) -> bool:
    """Whether `name=value` in a sentence reveals a secret: there, a `token` or a `key` may be an example."""
    if not _is_named_secret(name, value, plainly=True):
        return False
    is_sure = _SURE.search(name) or name.lower().endswith(_PASSWORDS) or name.startswith("-") or name.isupper()
    return bool(is_sure) or _LONG.fullmatch(value.rstrip(_AFTER)) is not None


def _may_have_shapes(text: str) -> bool:
    """Quick check whether a text may contain a key: long enough or announced, with a known substring."""
    lower = text.lower()
    if not any(len(piece) >= _SHORTEST for piece in text.split()) and "bearer" not in lower and "basic" not in lower:
        return "private key" in lower
    return any(map(lower.__contains__, _BEGINNINGS))


def _shapes_in(text: str) -> Iterator[Span]:
    found = SHAPES.search(text)
    while found:
        ends = _BLOCK_END.search if "PRIVATE KEY" in found[0] else _REST.match
        rest = ends(text, found.end())
        end = rest.end() if rest else found.end()
        yield found.start(), end
        found = SHAPES.search(text, end)
    for basic in _BASIC.finditer(text):
        if _is_login(basic[1]):
            yield basic.span()


def _is_login(text: str) -> bool:
    """Whether a text is Base64 of `user:password`."""
    try:
        return b":" in base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (NoBase64, ValueError):
        return False


def _named_in(text: str) -> Iterator[Span]:
    named = _NAMED.search(text)
    while named:
        group = next(number for number in (3, 4, 5) if named[number] is not None)
        found = _is_named_secret(named[1], named[group], plainly=named[2] == "=")
        if found:
            yield named.span(group)
        named = _NAMED.search(text, named.end() if found else named.end(2))  # the value may contain another name


def _is_named_secret(name: str, value: str, *, plainly: bool) -> bool:
    """Whether a name in a text reveals its value; `key` is ambiguous, so its value has to look like a secret."""
    if not says_secret(name, keys=True) or not _is_value(name, value, plainly=plainly):
        return False
    return says_secret(name) or _LONG.fullmatch(value) is not None


def _is_value(name: str, value: str, *, plainly: bool) -> bool:
    """Whether a value is no ordinary word, no program expression and no placeholder.

    `plainly` means that it can only be the value of this name.
    """
    value = value.rstrip(_AFTER)
    if len(value) < 4 or not _is_meant(value) or any(map(str.isspace, value)) or value.lower() in name.lower():
        return False
    if "(" in value or value.startswith(("/", "./", "~/", "http")) or _EXPRESSION.fullmatch(value):
        return False
    if plainly and (name.lower().endswith(_PASSWORDS) or (_SURE.search(name) and len(value) >= 8)):
        return True
    is_password = name.lower().endswith(_PASSWORDS)
    return _looks_made(value) and (is_password or any(map(str.isalpha, value)))


def _is_meant(value: str) -> bool:
    """Whether a value is given and no placeholder."""
    return value.lower() not in _WORDS and _FILLED.fullmatch(value) is None


def _looks_made(value: str) -> bool:
    """Whether a value has digits or symbols unlike any word, and is neither a formatted number nor a date."""
    if len(value) < 6 or _NUMBERS.fullmatch(value):
        return False
    return any(map(str.isdigit, value)) or any(each in "$!%*@^~" for each in value[1:-1])
