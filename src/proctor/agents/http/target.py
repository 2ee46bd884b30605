"""The address in a spec: whether it can be called, and that it holds no secret, because it is stored with the run."""

from __future__ import annotations

import re

from proctor.agents.http.template import PLACEHOLDER, Template
from proctor.errors import InputError
from proctor.net import addresses

_SECRET_NAME = re.compile(r"^code$|^sig$|(key|token|secret|password|passwd|pwd|signature|credentials?|auth)$", re.I)


def read_target(spec: str) -> Template:
    """The address, whose path and query may hold placeholders; raises InputError."""
    try:
        url = addresses.parse(PLACEHOLDER.sub("x", spec))
    except ValueError as error:
        raise InputError(
            f"the agent's address cannot be used: {error}; expected something like http://HOST/PATH"
        ) from None
    if url.user is not None or url.password is not None:
        raise InputError(
            f"the address of the agent {addresses.shown(url)!r} holds a user or password, and it is stored with the "
            'run; put them into the environment and say headers = {Authorization = "Basic ${NAME}"}'
        )
    for name in url.query:
        if _SECRET_NAME.search(name):
            raise InputError(
                f"the address of the agent {addresses.shown(url)!r} has {name!r} in its query, and it is stored with "
                f'the run; put it into the environment and say query = {{{name} = "${{NAME}}"}}'
            )
    if PLACEHOLDER.search(spec.split("/", 3)[2]):
        raise InputError("the agent's address has a placeholder in its host; expected it in the path or the query")
    return Template(spec, option="spec")
