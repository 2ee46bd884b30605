"""Refuse secrets written out where only their names belong: in specs, options and store addresses."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise, starmap
from typing import Any

from proctor.errors import InputError
from proctor.redaction.addresses import asked_in, bare_of, keys_before_hosts, logins_in, pairs_in
from proctor.redaction.known import known
from proctor.redaction.names import says_secret
from proctor.redaction.shapes import SHAPES, holds_secret, mentions_secret

_ADDRESS = "the address"
_VARIABLE = re.compile(r"\$\{\w+\}")
_FILLED = re.compile(r"\$\{\w+\}|\{\{[^{}]*\}\}")
_NOTHING = frozenset({"", "-", "…", "none", "null", "empty", "unused", "not-needed", "n/a", "dummy"})
"""Placeholders for a value that is required but not used."""
_KINDS = frozenset({"basic", "bearer", "digest", "oauth", "oauth2", "apikey", "api_key", "api-key", "ntlm", "iam"})
"""Values of `auth` that name a scheme, and are no secret."""
_SCHEMES = re.compile(r"(?i:\bbearer\s+)(?!\$\{)[\w.~+/=-]{6,}|(?i:\bbasic\s+)(?!\$\{)[\w+/=]{8,}")
"""Match credentials after `Bearer` or `Basic`: in an option they are secrets, in prose they may be words."""
_HEADER = re.compile(r"^([\w-]+):\s*(.+)$")
_HEADER_FLAGS = frozenset({"-H", "--header", "--headers"})
_LOGIN_FLAGS = frozenset({"-u", "-U", "--user", "--proxy-user"})
_NAME = re.compile(r"-*[\w.-]+")
_GLUED = re.compile(r"(-[uUH])(.+)", re.DOTALL)
"""Match a one-letter flag with its value attached, as in `-uUSER:PASSWORD`."""
_PASSWORD_FLAG = re.compile(r"(?:^|[:/])(?:mysql\w*|mariadb[\w-]*|sshpass)$")
"""Match programs for which `-pX` is a password."""
_PORT_FLAG = re.compile(r"(?:^|[:/])(?:ssh|docker|podman|nerdctl)$")
_PORTS = re.compile(r"(?:[\d.]+:)?[\d-]+:[\d-]+(?:/\w+)?")
"""Match port mappings after the `-p` of a container command."""
_NO_LOGIN = re.compile(r"\d+:\d+|\w+://.*", re.DOTALL)
"""Match numeric user and group ids, or an address, which is checked separately."""
_WORD = re.compile(r"(?<!\S)[(\"']?[A-Za-z]{2,}[)\"'.,;:!?]*(?!\S)")
_SHELL = re.compile(r"(?:^|[:/\\])(?:a|ba|da|fi|k|z)?sh(?:\.exe)?$")
_SHELL_CODE = re.compile(r"-\w*c")
_SHELL_FILLS = re.compile(r"\$\([^()]*\)|`[^`]*`|\$\w+")
"""Match what a shell substitutes."""
TABLES_OF_KEYS = frozenset({"headers", "header", "query", "params", "cookies", "env", "environment"})
_INHERITING = frozenset({"cookie", "cookies", "secrets", "credentials"})
_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "secret")


def refuse(spec: str, options: Mapping[str, Any], *, whose: str) -> None:
    """Raise InputError if a spec or its options contain a secret: both are stored with every run, to build it again."""
    if place := in_options(options):
        raise InputError(
            f'{whose}{place} holds a secret, and it is stored with the run: write "${{NAME}}" in its place, '
            "and set NAME in the environment"
        )
    if (held := in_spec(spec)) is None:
        return
    if held.startswith(_ADDRESS):
        cure = 'leave it out and send it in a header, such as headers = {Authorization = "Bearer ${NAME}"}'
    else:
        cure = f"write {_variable_for(spec)} in its place (in single quotes in a shell), and set it in the environment"
    raise InputError(f"in {whose}spec {held}, and it is stored with the run: {cure}")


def in_options(options: Mapping[str, Any]) -> str | None:
    """Return the path of the first literal secret, such as `headers.Authorization`, or None."""
    return next(_secret_paths(options, (), keys=False), None)


def in_spec(spec: str) -> str | None:
    """Describe what in a spec is a secret, or return None."""
    if any(map(_is_literal, logins_in(spec))):
        return f"{_ADDRESS} holds a password"
    for name, value in asked_in(spec):
        if _is_literal(value):
            return f"{_ADDRESS} has {name!r} in its query"
    return _in_words(_words(spec))


def password_in(address: str) -> bool:
    """Whether an address contains a literal password or key, before its host or in its query."""
    held = [*logins_in(address), *keys_before_hosts(address), *(value for _, value in asked_in(address))]
    return any(map(_is_literal, held))


def _secret_paths(value: Any, path: tuple[str, ...], *, keys: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            below = keys or str(name).lower() in TABLES_OF_KEYS
            if _is_secret(path, str(name), inner, keys=keys):
                yield ".".join((*path, str(name)))
            yield from _secret_paths(inner, (*path, str(name)), keys=below)
    elif isinstance(value, (list, tuple)):
        if _in_words([inner for inner in value if isinstance(inner, str)]):  # the arguments of a command
            yield ".".join(path)
        for inner in value:
            yield from _secret_paths(inner, path, keys=keys)
    elif isinstance(value, str):
        yield from _in_text(value, path, keys=keys)


def _in_text(text: str, path: tuple[str, ...], *, keys: bool) -> Iterator[str]:
    """Yield the path if a text contains a secret: by its format, in an address, a connection string or JSON."""
    if text.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            yield from _secret_paths(json.loads(text), path, keys=keys)
            return
    if _looks_secret(text) or password_in(text) or _is_given(text, keys=keys):
        yield ".".join(path)


def _is_given(text: str, *, keys: bool) -> bool:
    """Whether a pair such as `password=…` reveals a secret; in a sentence the value has to look like one."""
    pairs = [(name, value) for name, value in pairs_in(text) if _is_literal(value)]
    if any(starmap(mentions_secret, pairs)):
        return True
    return not _is_sentence(text) and any(holds_secret(name, value, keys=keys) for name, value in pairs)


def _is_sentence(text: str) -> bool:
    return len(_WORD.findall(text)) > 1


def _is_secret(path: tuple[str, ...], name: str, value: Any, *, keys: bool) -> bool:
    inherited = bool(path) and path[-1].lower() in _INHERITING
    if not (inherited or says_secret(name, keys=keys)):
        return False
    if isinstance(value, (list, tuple)):
        return any(isinstance(each, str) and _is_literal(each) for each in value)
    if isinstance(value, str):
        return _is_literal(value) and not (name.lower().endswith("auth") and value.lower() in _KINDS)
    return isinstance(value, int) and not isinstance(value, bool) and name.lower().endswith(_PASSWORDS)


def _is_literal(value: str) -> bool:
    return bare_of(value).lower() not in _NOTHING and _FILLED.search(value) is None


def _looks_secret(text: str) -> bool:
    filled = _VARIABLE.sub("${}", text)
    return SHAPES.search(filled) is not None or _SCHEMES.search(filled) is not None


def _words(spec: str) -> list[str]:
    try:
        return shlex.split(spec)
    except ValueError:
        return spec.split()


def _in_words(words: list[str]) -> str | None:
    """Describe the secret among the arguments of a command, or in the code passed to a shell; None if there is none."""
    shell = False
    if _has_password_flag(words):
        return "-p is given a password"
    for word, after in pairwise([*words, ""]):
        shell = shell or _SHELL.search(word) is not None
        if shell and _SHELL_CODE.fullmatch(word) and (held := _in_words(_words(_SHELL_FILLS.sub("${_}", after)))):
            return held
        if (held := _after_its_name(word, after) or _in_curls(word, after)) is not None:
            return held
        if _looks_secret(word) or _is_known(word.partition("=")[2] or word):
            return "an argument is a secret"
    return None


def _has_password_flag(words: list[str]) -> bool:
    """Whether a command passes a password as in `mysql -pX`.

    A `-pX` before the program does not count, nor one of a program whose `-p` is a port.
    """
    taken = False
    for word in words:
        if _PORT_FLAG.search(word) or _PASSWORD_FLAG.search(word):
            taken = _PASSWORD_FLAG.search(word) is not None
        elif taken and word[:2] == "-p" and _is_literal(word[2:]) and not _PORTS.fullmatch(word[2:]):
            return True
    return False


def _after_its_name(word: str, after: str) -> str | None:
    """Describe a secret in `--token X`, `--token=X` or `TOKEN=X`; None if there is none."""
    name, equals, value = word.partition("=")
    if not (equals or name.startswith("-")) or not says_secret(name.lstrip("-")) or _NAME.fullmatch(name) is None:
        return None
    return f"{name} is given a secret" if _is_literal(value if equals else _argument(after)) else None


def _in_curls(word: str, after: str) -> str | None:
    """Describe a secret in the flags of curl: `-u USER:PASSWORD`, `-H "Authorization: X"`, also in one word."""
    flag, value = _flag(word, after)
    if flag in _LOGIN_FLAGS and ":" in value and not _NO_LOGIN.fullmatch(value):
        return f"{flag} is given a password" if _is_literal(value.partition(":")[2]) else None
    header = _HEADER.match(value) if flag in _HEADER_FLAGS else None
    if header is None or not says_secret(header[1], keys=True) or not _is_literal(header[2]):
        return None
    return f"the header {header[1]} is given a secret"


def _flag(word: str, after: str) -> tuple[str, str]:
    """Return a flag and its value: the next word, after `=`, or attached."""
    if (glued := _GLUED.fullmatch(word)) is not None:
        return glued[1], glued[2]
    flag, equals, value = word.partition("=")
    return flag, value if equals else after


def _argument(after: str) -> str:
    """Return the word after a flag, or empty if that is another flag."""
    return "" if after.startswith("-") else after


def _variable_for(spec: str) -> str:
    """Return `${NAME}` with the variable whose value occurs in the spec, if there is one."""
    names = [name for name in known().names_in(spec) if name.isidentifier()]
    return f"${{{names[0]}}}" if names else "${NAME}"


def _is_known(word: str) -> bool:
    """Whether a word is the value of a known secret, such as one that the shell has already substituted."""
    known().look()
    return known().scrub(word) in {f"${name}" for name in known().names_in(word)}
